// One connection and the process of Postgres behind it: what it is asked costs time, CPU of that process, and WAL. On a busy
// machine only the last two say anything.
import pg from 'pg'
import { quantile } from '../measure.ts'
import { cpuUsOf } from '../stage/process-table.ts'

export type Cost = { medianMs: number; cpuMs: number; walBytes: number }

export class Backend {
  readonly client: pg.Client
  readonly #pid: number

  static async connect(url: string, options = ''): Promise<Backend> {
    const client = new pg.Client({
      connectionString: url,
      options: `${options} -c max_parallel_maintenance_workers=0`,
    })
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return new Backend(client, rows[0]?.pid ?? 0)
  }

  private constructor(client: pg.Client, pid: number) {
    this.client = client
    this.#pid = pid
  }

  /** Median time; CPU and WAL as the mean of all. */
  async measure(times: number, work: (round: number) => Promise<unknown>): Promise<Cost> {
    const took: number[] = []
    const [walBefore, cpuBefore] = [await this.#walBytes(), this.#cpuMs()]
    for (let round = 0; round < times; round++) {
      const startedMs = performance.now()
      await work(round)
      took.push(performance.now() - startedMs)
    }
    return {
      medianMs: quantile(took, 0.5),
      cpuMs: (this.#cpuMs() - cpuBefore) / times,
      walBytes: ((await this.#walBytes()) - walBefore) / times,
    }
  }

  /** Says how long the statement took. */
  async report(what: string, sql: string): Promise<void> {
    const { medianMs, cpuMs } = await this.measure(1, () => this.client.query(sql))
    console.log(`${what}: ${(medianMs / 1_000).toFixed(1)} s, CPU ${(cpuMs / 1_000).toFixed(1)} s`)
  }

  #cpuMs(): number {
    return cpuUsOf([this.#pid]) / 1_000
  }

  async #walBytes(): Promise<number> {
    const { rows } = await this.client.query<{ bytes: string }>(
      "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
    )
    return Number(rows[0]?.bytes)
  }
}
