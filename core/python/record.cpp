#include "bind.hpp"

namespace halma::python {

void bind_record(nb::module_& module) {
  nb::enum_<End>(module, "End", "Why a record is over.")
      .value("NONE", End::none)
      .value("RULES", End::rules)
      .value("PLIES", End::plies)
      .value("REPETITION", End::repetition)
      .value("NO_PROGRESS", End::no_progress)
      .value("CYCLE", End::cycle)
      .value("STALLED", End::stalled);

  const auto to_bytes = [](const AnyGame& game, const Bytes* state) {
    return new_state(game, [&](Bytes* b) { std::memcpy(b, state, game.state_size()); });
  };

  nb::class_<Record>(module, "Record", "States and events of one game, with the rules that look at history.")
      .def(
          "__init__",
          [](Record* self, const AnyGame& game, const Limits& limits, const nb::bytes& start) {
            new (self) Record(game, limits, state_bytes(game, start));
          },
          nb::arg("game"), nb::arg("limits"), nb::arg("start"), nb::keep_alive<1, 2>())
      .def("state", [to_bytes](const Record& r) { return to_bytes(r.game(), r.state()); })
      .def("state_at",
           [to_bytes](const Record& r, int i) {
             if (i < 0 || i > r.length()) throw std::out_of_range("the record is shorter than that");
             return to_bytes(r.game(), r.state(i));
           })
      .def("__len__", &Record::length)
      .def_prop_ro("plies", &Record::plies)
      .def_prop_ro("halfmove_clock", &Record::halfmove_clock)
      .def_prop_ro("repetitions", &Record::repetitions)
      .def_prop_ro(
          "progress_clock", [](const Record& r) { return r.progress().clock; },
          "Plies since a player had more arrived pieces than ever before; 0 without such a limit.")
      .def_prop_ro("end", &Record::end)
      .def(
          "events",
          [](const Record& r) {
            nb::list events;
            for (const Record::Event& event : r.events())
              events.append(nb::make_tuple(event.chance, event.value));
            return events;
          },
          nb::sig("def events(self) -> list[tuple[bool, int]]"))
      .def("play", [](Record& r, Move move) { r.play(checked_move(r.game(), r.state(), move)); })
      .def("resolve",
           [](Record& r, Outcome outcome) { r.resolve(checked_outcome(r.game(), r.state(), outcome)); })
      .def("undo",
           [](Record& r) {
             if (r.length() == 0) throw std::out_of_range("there is nothing to take back");
             r.undo();
           })
      .def("encode", [](const Record& r) {
        const PlaneShape shape = r.game().shape();
        std::vector<float> planes(shape.size());
        r.encode(planes.data());
        return owned_array(std::move(planes),
                           {static_cast<std::size_t>(shape.planes), static_cast<std::size_t>(shape.rows),
                            static_cast<std::size_t>(shape.columns)});
      });
}

}  // namespace halma::python
