"""Names of files in the directory of a run with a network."""

#: the best network, to go on with and to play with
WEIGHTS, MODEL = "best.safetensors", "best.onnx"
#: what was learnt from when a loss became not a number
BAD_BATCH = "bad-batch.table"
