// Tests hostile files over HTTP: each is refused with a sentence, in bounded time. Meanwhile bookings still
// work, no user changes, nothing is stored, and the worker that reads the file keeps running.

import { expect } from 'chai'
import { createUser } from '../../../../support/factories.ts'
import { createSlot } from '../../../../support/faults/pipeline.ts'
import { listChildProcesses, startWorkerProcess } from '../../../../support/processes.ts'
import { eventually, measureTime, promised } from '../../../../support/time.ts'
import { useWith } from '../../../../support/use.ts'
import { countFiles, readUserRows } from '../../../../support/user-lists.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import {
  createEmptyRows,
  FILES_WITHOUT_LIST,
  HARMFUL_FILES,
  type HostileFile,
  OTHER_FORMAT_FILES,
} from '../../../../workers/sheets/support/hostile-files.ts'

const MB = 1024 * 1024
const REFUSED_MS_MAX = 8_000
const BOOKED_MS_MAX = 4_000

const LARGE_FILES: HostileFile[] = [
  {
    title: 'a csv of one endless line, as large as a file may be',
    file: () => `email,name\nann@example.com,${'x'.repeat(20 * MB - 30)}`,
    status: 413,
    says: /Row 2 .*1,000,000 characters/,
  },
  {
    title: 'a csv of 200,001 rows',
    file: () =>
      `email,name\n${Array.from({ length: 200_001 }, (_, row) => `u${row}@example.com,U`).join('\n')}`,
    status: 413,
    says: /200,000 rows/,
  },
  {
    title: 'a file that is larger than allowed',
    file: () => 'x'.repeat(20 * MB + 1),
    status: 413,
    says: /20 MiB/,
  },
]

// One file of each kind is enough here, because the tests of the spreadsheet reader read all files.
const TESTED_KINDS_PATTERN = /PDF|NUL|password-protected|docx|half of|breaks off/
const HOSTILE_FILES = [
  ...LARGE_FILES,
  ...HARMFUL_FILES,
  ...[...OTHER_FORMAT_FILES, ...FILES_WITHOUT_LIST].filter(({ title }) => TESTED_KINDS_PATTERN.test(title)),
]

describe('POST users/import with hostile files', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'user-write', 'booking-write')
  const worker = useWith(world, startWorker, (child) => {
    child.kill('SIGTERM')
    return child.ended
  })
  before(async () => {
    for (const name of ['ada', 'bob'])
      await createUser(world.database, { name, email: `${name}@example.com` })
  })

  function startWorker() {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    return startWorkerProcess({ DATABASE_URL, REDIS_URL }, ['writes', 'imports'])
  }

  // Sends a file with every import option, so that everybody would be deactivated if the file were accepted as a list.
  const send = (file: string | Buffer) =>
    client.import(file, { deactivate: 'true', update: 'true', filename: 'list.xlsx' })

  async function expectUnharmed(before: object, sentMs: number) {
    expect(await readUserRows(world.database)).to.deep.equal(before)
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
    )
    await eventually(() => expect(listChildProcesses(worker.pid)).to.deep.equal([]))
    expect(
      worker.lines.filter(({ level, time }) => Number(level) >= 50 && Number(time) > sentMs),
    ).to.deep.equal([])
  }

  for (const { title, file, status, says } of HOSTILE_FILES) {
    it(`refuses ${title} with an error message`, async () => {
      const slot = await createSlot(world)
      const before = await readUserRows(world.database)
      const sentMs = Date.now()
      const refused = measureTime(() => send(Buffer.from(file())))
      const booked = await measureTime(() => client.post('bookings', slot))
      const { answer, tookMs } = await refused
      expect([answer.status, answer.json.code]).to.deep.equal([
        status,
        status === 413 ? 'too_large' : 'validation_failed',
      ])
      expect(answer.json.detail).to.match(says)
      if (status === 422) expect(answer.json.errors.file.join()).to.match(says)
      expect(tookMs).to.be.lessThan(promised(REFUSED_MS_MAX))
      expect([booked.answer.status, booked.tookMs < promised(BOOKED_MS_MAX)]).to.deep.equal([200, true])
      await expectUnharmed(before, sentMs)
    })
  }

  it('skips a million empty rows, and reads the row after them that names no user', async () => {
    const before = await readUserRows(world.database)
    const sentMs = Date.now()
    const { answer, tookMs } = await measureTime(() => send(createEmptyRows()))
    expect([answer.status, answer.json.rows, answer.json.errors]).to.deep.equal([200, 1, [1_048_576]])
    expect(tookMs).to.be.lessThan(promised(REFUSED_MS_MAX))
    await expectUnharmed(before, sentMs)
  })

  it('imports the next list normally after several hostile files', async () => {
    const { json } = await client.import('email,name\nann@example.com,Ann\n')
    expect(json.created).to.deep.equal([2])
    expect(worker.lines.filter(({ msg }) => msg === 'working')).to.have.length(1)
  })
})
