// Reading and writing .npy.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/npy.h"

#include <cstring>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/graph/tensor_type.h"

namespace mace::tools {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

struct TypeCode {
  const char* code;  // as in the header, without the byte order
  IDataType type;
  size_t bytes;
};
constexpr TypeCode kTypeCodes[] = {
    {"f4", IDT_FLOAT, 4},
    {"f2", IDT_FLOAT16, 2},
    {"i4", IDT_INT32, 4},
    {"i8", IDT_INT64, 8},
    {"i2", IDT_INT16, 2},
    {"i1", IDT_INT8, 1},
    {"u1", IDT_UINT8, 1},
    {"b1", IDT_BOOL, 1},
    // NumPy has no bfloat16: its bits travel as an unsigned integer.
    {"u2", IDT_BFLOAT16, 2},
};

// The text after `key` in the header's dictionary, up to a comma outside
// parentheses.
std::string Field(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  if (at == std::string::npos) return "";
  size_t begin = header.find(':', at);
  if (begin == std::string::npos) return "";
  begin = header.find_first_not_of(' ', begin + 1);
  int depth = 0;
  size_t end = begin;
  for (; end < header.size(); ++end) {
    const char c = header[end];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == ',' || c == '}')) break;
  }
  return begin == std::string::npos ? "" : header.substr(begin, end - begin);
}

bool ParseShape(const std::string& text, std::vector<int64_t>& shape) {
  if (text.size() < 2 || text[0] != '(') return false;
  const char* p = text.c_str() + 1;
  while (*p != ')' && *p != '\0') {
    char* end;
    const long long extent = std::strtoll(p, &end, 10);
    if (end == p || extent < 0) return false;
    shape.push_back(extent);
    p = end;
    while (*p == ',' || *p == ' ') ++p;
  }
  return *p == ')';
}

// Where the elements begin and what the header says; 0 if there is no header.
size_t ParseHeader(const MappedFile& file, std::string& header) {
  const uint8_t* p = file.data();
  if (file.size() < 12 || std::memcmp(p, kMagic, kMagicBytes) != 0) return 0;
  size_t begin = 10;
  size_t length = p[8] | p[9] << 8;
  if (p[6] >= 2) {
    length |= static_cast<size_t>(p[10]) << 16 | static_cast<size_t>(p[11])
                                                     << 24;
    begin = 12;
  }
  if (length > file.size() - begin) return 0;
  header.assign(reinterpret_cast<const char*>(p) + begin, length);
  return begin + length;
}

Result<MaceTensor> Allocate(const std::vector<int64_t>& shape, IDataType type,
                            size_t bytes) {
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::Create(bytes));
  auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
  return MaceTensor(shape, std::shared_ptr<void>(owner, owner->data()), type);
}

}  // namespace

size_t SizeOf(IDataType type) {
  for (const TypeCode& c : kTypeCodes) {
    if (c.type == type) return c.bytes;
  }
  return 0;
}

Result<MaceTensor> ReadNpy(const std::string& path) {
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const auto bad = [&](const std::string& why) {
    return InvalidArgument("'" + path + "' " + why);
  };
  std::string header;
  const size_t begin = ParseHeader(file, header);
  if (begin == 0) {
    return bad("is no .npy file; write it with numpy.save");
  }
  std::vector<int64_t> shape;
  if (!ParseShape(Field(header, "shape"), shape)) {
    return bad("has no sound shape in its header");
  }
  if (shape.size() > 1 && Field(header, "fortran_order") != "False") {
    return bad("is in Fortran order; save numpy.ascontiguousarray(x)");
  }
  const std::string descr = Field(header, "descr");  // '<f4' with quotes
  const bool quoted = descr.size() > 2 && descr[0] == '\'';
  const std::string code = descr.size() == 5 ? descr.substr(2, 2) : "";
  if (descr.size() == 5 && descr[1] == '>') return bad("is big endian");
  const Result<int64_t> counted = CheckedNumElements(shape);
  if (!counted.ok())
    return bad("has too large a shape: " + counted.status().information());
  const int64_t elements = *counted;
  const uint8_t* data = file.data() + begin;
  const size_t left = file.size() - begin;

  const bool is_double = code == "f8";
  for (const TypeCode& c : kTypeCodes) {
    if (code != c.code && !(is_double && c.type == IDT_FLOAT)) continue;
    const size_t stored = elements * (is_double ? 8 : c.bytes);
    if (left < stored) {
      return bad("is cut short: " + std::to_string(left) +
                 " bytes of elements "
                 "instead of " +
                 std::to_string(stored));
    }
    MACE_ASSIGN_OR_RETURN(MaceTensor tensor,
                          Allocate(shape, c.type, elements * c.bytes));
    if (is_double) {
      float* out = tensor.data().get();
      for (int64_t i = 0; i < elements; ++i) {
        double v;
        std::memcpy(&v, data + 8 * i, 8);
        out[i] = static_cast<float>(v);
      }
    } else if (stored > 0) {
      std::memcpy(tensor.raw_data().get(), data, stored);
    }
    return tensor;
  }
  return InvalidArgument(
      "'", path, "' has elements of type '",
      quoted ? descr.substr(1, descr.size() - 2) : descr,
      "'; float32, float64, float16, int64, int32, int16, int8, uint8 and bool "
      "can be read");
}

Status WriteNpy(const std::string& path, const MaceTensor& tensor) {
  const char* code = "";
  size_t bytes = 0;
  for (const TypeCode& c : kTypeCodes) {
    if (c.type == tensor.data_type()) {
      code = c.code;
      bytes = c.bytes;
    }
  }
  std::string shape;
  for (int64_t extent : tensor.shape()) shape += std::to_string(extent) + ", ";
  std::string header = "{'descr': '" + std::string(bytes > 1 ? "<" : "|") +
                       code + "', 'fortran_order': False, 'shape': (" + shape +
                       "), }";
  // The elements begin at a multiple of 64 bytes, after a newline.
  header.resize(AlignUp(header.size() + 11, 64) - 11, ' ');
  header += '\n';
  std::vector<uint8_t> out(kMagic, kMagic + kMagicBytes);
  out.insert(out.end(), {1, 0, static_cast<uint8_t>(header.size() & 0xff),
                         static_cast<uint8_t>(header.size() >> 8)});
  out.insert(out.end(), header.begin(), header.end());
  const auto* data = static_cast<const uint8_t*>(tensor.raw_data().get());
  out.insert(out.end(), data, data + NumElements(tensor.shape()) * bytes);
  return WriteFileAtomically(path, out.data(), out.size());
}

}  // namespace mace::tools
