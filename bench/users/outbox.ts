// The cost of the outbox for an import: the same worker, alternating with one from a copy of dist/ whose
// imports write no rows to `changes`.
import { join } from 'node:path'
import { copyDist } from '../../test/chaos/stage/dist.ts'
import { startWorkerProcess } from '../../test/support/processes.ts'
import { quantile } from '../measure.ts'
import { cpuUsOf } from '../stage/process-table.ts'
import type { ImportFiles } from './files.ts'
import { time } from './imports.ts'
import { expectCount, importUsers } from './requests.ts'
import { emptyUsers, type Stage } from './stage.ts'

/** `cpuMs` is the sum of the gateway, the worker with the process that reads the file, and Postgres. */
export type OutboxTimes = { tookMs: number; cpuMs: number; postgresMs: number }

// Writes the users as before; the surrounding statement only counts what it would have recorded.
const WITHOUT_OUTBOX = {
  file: 'workers/jobs/imports/apply.js',
  find: 'export const recordUsers = (action) => ',
  replace:
    "export const recordUsers = () => 'SELECT count(*) FROM users';\nexport const recordsUsers = (action) => ",
}

export async function measureOutbox(stage: Stage, files: ImportFiles, rounds: number) {
  // Only one worker may run imports at a time, so the stage's own one stops.
  stage.filesWorker.kill('SIGTERM')
  await stage.filesWorker.ended
  const folder = copyDist(join(stage.directory, 'without-outbox'), [WITHOUT_OUTBOX])
  const withOutbox: OutboxTimes[] = []
  const without: OutboxTimes[] = []
  for (let round = 0; round < rounds; round++) {
    withOutbox.push(await measureImport(stage, files, files.number))
    without.push(await measureImport(stage, files, 0, folder))
  }
  return { withOutbox: mediansOf(withOutbox), without: mediansOf(without) }
}

async function measureImport(
  stage: Stage,
  { csv, number }: ImportFiles,
  changes: number,
  folder?: string,
): Promise<OutboxTimes> {
  await stage.database.raw('TRUNCATE changes')
  await emptyUsers(stage)
  const worker = await startWorkerProcess(stage.environment, ['imports'], folder)
  const others = [stage.gateway.pid, worker.pid]
  const before = { postgres: cpuUsOf([stage.postgres.pid]), others: cpuUsOf(others) }
  const tookMs = await time(async () => {
    expectCount('created', (await importUsers(stage, csv)).created.length, number)
  })
  const postgresMs = (cpuUsOf([stage.postgres.pid]) - before.postgres) / 1_000
  const cpuMs = postgresMs + (cpuUsOf(others) - before.others) / 1_000
  worker.kill('SIGTERM')
  await worker.ended
  const { rows } = await stage.database.raw("SELECT count(*)::int AS count FROM changes WHERE type = 'user'")
  expectCount('changes', rows[0].count, changes)
  return { tookMs, cpuMs, postgresMs }
}

function mediansOf(rounds: OutboxTimes[]): OutboxTimes {
  const medianOf = (part: keyof OutboxTimes) =>
    quantile(
      rounds.map((each) => each[part]),
      0.5,
    )
  return { tookMs: medianOf('tookMs'), cpuMs: medianOf('cpuMs'), postgresMs: medianOf('postgresMs') }
}
