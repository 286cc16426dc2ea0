// Measures how busy a process is. Heartbeats report it, so that the doctor can say which kind of process needs another one.
import { availableParallelism } from 'node:os'

/** The processor time that a process takes, in cores, and the number of cores that it may use. */
export type ProcessLoad = { busyCores: number; cores: number }

// The weight of the latest interval. With it, the average covers the last ten to twenty seconds.
const LATEST_WEIGHT = 0.2

export class LoadMeter {
  #usageUs = readUsageUs()
  #atMs = performance.now()
  #busyCores = 0

  /** Returns the average of the last seconds. */
  read(): ProcessLoad {
    const [usageUs, atMs] = [readUsageUs(), performance.now()]
    const latest = (usageUs - this.#usageUs) / 1_000 / Math.max(1, atMs - this.#atMs)
    this.#busyCores += LATEST_WEIGHT * (latest - this.#busyCores)
    this.#usageUs = usageUs
    this.#atMs = atMs
    return { busyCores: Math.round(this.#busyCores * 100) / 100, cores: availableParallelism() }
  }
}

function readUsageUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
