"""The page in the browser: an HTTP and WebSocket server for playing, analysing and watching.

It knows no rules and no game: positions are scenes, moves are texts, players are agents by name.
Needs the extra `web`.
"""
