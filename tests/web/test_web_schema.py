"""Requests made up from the description of the interface get only answers that it has."""

from contextlib import suppress

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("schemathesis")
import schemathesis
from httpx2 import InvalidURL
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_helpers import HOST, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
FEW = settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("web"), seconds=0.2) as client:
        yield client


@pytest.mark.parametrize(
    "mode",
    [
        schemathesis.GenerationMode.POSITIVE,
        pytest.param(schemathesis.GenerationMode.NEGATIVE, marks=pytest.mark.slow),
    ],
    ids=lambda mode: mode.value,
)
def test_no_request_breaks_the_server(client, mode):
    schema = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 25
    tried = 0

    def check(case):
        nonlocal tried
        tried += 1
        try:
            answer = send(client, case)
        except InvalidURL:  # longer than the client sends
            return
        if answer.status_code >= 400:
            assert answer.json()["error"].endswith((".", "!", "?"))
        if answer.status_code != 503:  # searches that wait or fail; it is described
            case.validate_response(answer, checks=CHECKS)

    for operation in operations:
        try:
            # Without parameters no request of an operation is wrong.
            with suppress(Unsatisfiable):
                FEW(given(operation.as_strategy(generation_mode=mode))(check))()
        except Exception as error:
            error.add_note(operation.label)
            raise
    assert tried > 3 * len(operations)


def send(client, case):
    request = case.as_transport_kwargs(base_url=f"http://{HOST}", headers={"Host": HOST})
    body = {"json": request["json"]} if "json" in request else {"content": request.get("data")}
    headers = {str(key): str(value) for key, value in request["headers"].items()}
    params = request.get("params")
    return client.request(request["method"], request["url"], params=params, headers=headers, **body)
