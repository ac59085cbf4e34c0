"""Readers and writers of data: task packs, the papers' releases, trajectories."""
