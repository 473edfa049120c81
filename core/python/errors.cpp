// The core's exceptions as the errors of halma.errors, whose messages are sentences.
#include <cctype>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>

#include "bind.hpp"

namespace halma::python {
namespace {

/// A clause as a sentence: "this game has no index" becomes "This game has no index."
std::string sentence(std::string clause) {
  if (!clause.empty()) clause[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(clause[0])));
  if (!clause.ends_with('.')) clause += '.';
  return clause;
}

void set_error(const char* name, const std::string& clause) {
  const nb::object type = nb::module_::import_("halma.errors").attr(name);
  PyErr_SetString(type.ptr(), sentence(clause).c_str());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    set_error("OutOfMemoryError", "there is not enough memory for this");
  } catch (const std::system_error& error) {  // from std::thread
    set_error("OutOfMemoryError", std::string("a thread could not be started: ") + error.code().message());
  } catch (const std::bad_cast&) {  // a value within a dictionary or a list
    set_error("ArgumentError", "a value is not of the type that it should have");
  } catch (const std::logic_error& error) {  // invalid_argument, out_of_range, length_error
    set_error("ArgumentError", error.what());
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace halma::python
