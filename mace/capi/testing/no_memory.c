// What functions return when there is no memory for an object, in C.
// SPDX-License-Identifier: Apache-2.0

#include "mace/capi/testing/c_test.h"

// A call that fails while no memory is left, and stores null.
#define EXPECT_NO_MEMORY(object, call)                   \
  do {                                                   \
    (object) = NULL;                                     \
    FailNew(1);                                          \
    EXPECT_ERROR(call, MACE_OUT_OF_RESOURCES, "memory"); \
    FailNew(0);                                          \
    EXPECT((object) == NULL);                            \
  } while (0)

static void TestImageObjects(void) {
  mace_image_t* image = NULL;
  mace_image_input_t *input = NULL, *failed = NULL;
  mace_image_transform_t* transform = NULL;
  mace_image_converter_t* converter = NULL;
  EXPECT_NO_MEMORY(image, mace_image_create(MACE_IMAGE_RGB, 2, 2, &image));
  EXPECT_NO_MEMORY(failed, mace_image_input_create(2, 2, &failed));
  EXPECT_NO_MEMORY(transform, mace_image_transform_create(&transform));
  EXPECT_OK(mace_image_input_create(2, 2, &input));
  EXPECT_NO_MEMORY(converter, mace_image_converter_create(input, &converter));
  mace_image_input_destroy(input);
}

static void TestGpuObjects(void) {
  mace_gpu_context_builder_t *builder = NULL, *failed = NULL;
  mace_gpu_context_t* context = NULL;
  EXPECT_NO_MEMORY(failed, mace_gpu_context_builder_create(&failed));
  EXPECT_OK(mace_gpu_context_builder_create(&builder));
  EXPECT_NO_MEMORY(context, mace_gpu_context_builder_build(builder, &context));
  mace_gpu_context_builder_destroy(builder);
}

void TestNoMemory(void) {
  const SampleModel* s = Sample();
  mace_model_options_t* options = NULL;
  mace_model_t *model = NULL, *no_model = NULL;
  mace_config_t *config = NULL, *no_config = NULL;
  mace_engine_t *engine = NULL, *no_engine = NULL;
  mace_tensors_t* tensors = NULL;
  mace_tensor_infos_t* infos = NULL;
  mace_run_metadata_t* metadata = NULL;
  mace_memory_usage_t* usage = NULL;
  mace_records_t* records = NULL;
  mace_cancellation_t* cancellation = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));

  EXPECT_NO_MEMORY(options, mace_model_options_create(&options));
  EXPECT_NO_MEMORY(
      no_model, mace_model_load(s->graph_file, s->data_file, NULL, &no_model));
  EXPECT_NO_MEMORY(
      no_config, mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &no_config));
  EXPECT_NO_MEMORY(no_config, mace_config_copy(config, &no_config));
  EXPECT_NO_MEMORY(no_engine, mace_engine_create(model, config, NULL, 0, NULL,
                                                 0, &no_engine));
  EXPECT_NO_MEMORY(tensors, mace_tensors_create(&tensors));
  EXPECT_NO_MEMORY(metadata, mace_run_metadata_create(&metadata));
  EXPECT_NO_MEMORY(infos, mace_model_inputs(model, &infos));
  EXPECT_NO_MEMORY(infos, mace_model_outputs(model, &infos));
  EXPECT_NO_MEMORY(infos, mace_engine_inputs(engine, &infos));
  EXPECT_NO_MEMORY(infos, mace_engine_outputs(engine, &infos));
  EXPECT_NO_MEMORY(usage, mace_engine_memory_usage(engine, &usage));
  EXPECT_NO_MEMORY(records, mace_engine_placement(engine, &records));
  EXPECT_NO_MEMORY(records, mace_kernel_tests(&records));
  EXPECT_NO_MEMORY(cancellation, mace_cancellation_create(&cancellation));
  TestImageObjects();
  TestGpuObjects();
  mace_engine_destroy(engine);
  mace_config_destroy(config);
  mace_model_destroy(model);
}
