// The smallest app in C: classifies a picture of a digit with the bundled
// model.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: classify GRAPH.pb WEIGHTS.data < 64 floats. With -DFROM_CODE the model
// is compiled in: classify MODEL [WEIGHTS.data].

#include <stdio.h>

#ifdef FROM_CODE
#include "mace/public/mace_c_engine_factory.h"
#endif
#include "mace/public/mace_c.h"

#define TRY(call) \
  if ((status = (call)) != MACE_SUCCESS) goto end

int main(int argc, char** argv) {
  static const int64_t shape[4] = {1, 1, 8, 8};
  static float pixels[64], p[10];
  mace_status_t status;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  mace_model_t* model = NULL;
  mace_tensors_t *inputs = NULL, *outputs = NULL;
  const char* data = argc > 2 ? argv[2] : NULL;
  int i;
  if (argc < 2 || fread(pixels, 4, 64, stdin) != 64) return 2;

  TRY(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
#ifdef FROM_CODE
  TRY(mace_engine_create_from_code(argv[1], data, config, NULL, 0, NULL, 0,
                                   &engine));
#else
  TRY(mace_model_load(argv[1], data, NULL, &model));
  TRY(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));
#endif
  TRY(mace_tensors_create(&inputs));
  TRY(mace_tensors_create(&outputs));
  TRY(mace_tensors_set(inputs, "input", MACE_FLOAT32, shape, 4, pixels,
                       sizeof(pixels)));
  TRY(mace_tensors_set(outputs, "probabilities", MACE_FLOAT32,
                       (const int64_t[]){1, 10}, 2, p, sizeof(p)));
  TRY(mace_engine_run(engine, inputs, outputs, NULL));
  for (i = 0; i < 10; ++i) printf("%a ", p[i]);

end:
  if (status != MACE_SUCCESS) fprintf(stderr, "ERROR: %s\n", mace_last_error());
  mace_tensors_destroy(inputs);
  mace_tensors_destroy(outputs);
  mace_engine_destroy(engine);
  mace_model_destroy(model);
  mace_config_destroy(config);
  return status != MACE_SUCCESS;
}
