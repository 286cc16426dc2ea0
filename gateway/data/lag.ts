// How far a replica is behind in time: since when the primary has had something that the replica lacks. It
// uses one clock only, and is zero if nothing is written; the age of the last replayed transaction would grow
// then.

type Sample = { lsn: number; atMs: number }

// Enough for minutes; if a replica is further behind, the exact second does not matter.
const SAMPLES_MAX = 1_000

export class Lag {
  /** What the primary had at a moment and the replica still lacks, oldest first. */
  #lacking: Sample[] = []
  #latestLsn = 0

  /** Records that the primary had written this much by then. */
  notePrimary(lsn: number, atMs: number) {
    if (lsn === this.#latestLsn || this.#lacking.length >= SAMPLES_MAX) return
    this.#latestLsn = lsn
    this.#lacking.push({ lsn, atMs })
  }

  /** The lag of a replica that has replayed this much by now. */
  ms(replayedLsn: number, nowMs: number): number {
    this.#lacking = this.#lacking.filter(({ lsn }) => lsn > replayedLsn)
    const [oldest] = this.#lacking
    return oldest ? Math.max(0, nowMs - oldest.atMs) : 0
  }
}
