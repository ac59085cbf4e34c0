"""Harbor: tasks as task directories that Harbor runs (schema 1.4), written and read.

``export`` writes them and ``read`` reads them back; ``files`` says what is in one; ``judge`` is what runs in the verifier's
container; ``check`` plays directories as plain processes where there is no container engine.  The scripts and container files
that every task shares are in ``templates``.
"""
