"""Networks: their files, their architectures, and evaluators that run them.

evaluator.py        the interface between searches and networks
onnx_evaluator.py   a network in onnxruntime
torch_evaluator.py  a network in torch, on a CPU or a GPU
evaluator_pool.py   evaluators of one network for several threads
network_file.py     network files: description, checks, reading and writing
onnx_file.py        validation of ONNX files
architectures/      networks by name, and in torch
weights.py          a torch network's weights from and to a file
export.py           from torch to ONNX
onnx_graph.py       a torch network as an ONNX graph
lookup_table.py     the result of tabular training, read from a checkpoint
models/             networks that come with the package

Playing needs neither torch nor onnx: only architectures/ (apart from the names), weights.py,
export.py, onnx_graph.py, torch_evaluator.py and evaluator_pool.py import torch.
"""
