// How far a replica is behind, in time: since when the primary has had what the replica does not have yet. By one clock,
// and zero where nothing is written: the age of what was replayed last would grow then.

type Sample = { lsn: number; atMs: number }

// Enough for minutes; of one that is further behind it need not be known how far to the second.
const SAMPLES_MAX = 1_000

export class Lag {
  /** What the primary had at a moment and the replica lacks, the oldest first. */
  #lacking: Sample[] = []
  #latestLsn = 0

  /** The primary had written so much by then. */
  notePrimary(lsn: number, atMs: number) {
    if (lsn === this.#latestLsn || this.#lacking.length >= SAMPLES_MAX) return
    this.#latestLsn = lsn
    this.#lacking.push({ lsn, atMs })
  }

  /** Of a replica that has replayed so much by now. */
  ms(replayedLsn: number, nowMs: number): number {
    this.#lacking = this.#lacking.filter(({ lsn }) => lsn > replayedLsn)
    const [oldest] = this.#lacking
    return oldest ? Math.max(0, nowMs - oldest.atMs) : 0
  }
}
