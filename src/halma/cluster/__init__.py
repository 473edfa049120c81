"""A Ray cluster as a place where work runs.

connection.py    the connection to a cluster, its nodes, and which of them can be used
ray_executor.py  tasks on the nodes of a cluster, as an executor
node_tasks.py    what runs on the nodes

Nothing else of halma imports ray, and nothing imports this package unless a cluster is asked for.
"""

import os

from halma.machine import require

# Ray reports its use to its makers unless this says no; processes that it starts inherit it.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
require("ray")
