// Tests that imports and exports leave the CPU to bookings: processes that work on files have a lower priority.
import { getPriority } from 'node:os'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { readList } from '../../workers/sheets/read-list.ts'
import { killChildren, listChildProcesses, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'
import { SHEET_LIMITS } from './sheets/support/read.ts'

describe('the process priority of workers', function () {
  this.timeout(120_000)
  const world = useWorld({ workers: [] })

  afterEach(killChildren)

  for (const [queues, priority] of [
    [['imports', 'exports'], 10],
    [['writes', 'imports'], 0],
  ] as const)
    it(`is ${priority} for a worker of ${queues.join(' and ')}`, async () => {
      const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }
      const worker = await startWorkerProcess(environment, [...queues])
      expect(getPriority(worker.pid)).to.equal(priority)
    })

  it('is the lowest for the process that reads a spreadsheet', async () => {
    const { rows, done } = readList(new PassThrough(), SHEET_LIMITS)
    try {
      await eventually(async () => {
        expect(listChildProcesses(process.pid).map((pid) => readPriority(pid))).to.include(19)
      })
    } finally {
      rows.destroy()
      await done.catch(() => undefined)
    }
  })
})

// A child may have ended since it was listed.
function readPriority(pid: number): number | undefined {
  try {
    return getPriority(pid)
  } catch {
    return undefined
  }
}
