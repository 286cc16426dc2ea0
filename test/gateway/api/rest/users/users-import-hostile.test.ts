// Hostile files over HTTP: each is refused with a sentence, in bounded time. Bookings still work meanwhile, no user changes,
// nothing is stored, and the worker that read the file keeps running.

import { expect } from 'chai'
import { createUser } from '../../../../support/factories.ts'
import { createSlot } from '../../../../support/faults/pipeline.ts'
import { childrenOf, startWorkerProcess } from '../../../../support/processes.ts'
import { eventually, promised, timed } from '../../../../support/time.ts'
import { useWith } from '../../../../support/use.ts'
import { countFiles, rowsOfUsers } from '../../../../support/user-lists.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import {
  emptyRows,
  HARMFUL,
  type HostileFile,
  NO_LIST,
  SOMETHING_ELSE,
} from '../../../../workers/sheets/support/hostile-files.ts'

const MB = 1024 * 1024
const REFUSED_MS = 8_000
const BOOKED_MS = 4_000

const LARGE: HostileFile[] = [
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

// Over HTTP one of each kind is enough; test/sheets reads all of them.
const KINDS = /PDF|NUL|password-protected|docx|half of|breaks off/
const FILES = [
  ...LARGE,
  ...HARMFUL,
  ...[...SOMETHING_ELSE, ...NO_LIST].filter(({ title }) => KINDS.test(title)),
]

describe('POST users/import of a hostile file', () => {
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

  // With every option of an import: a file mistaken for a list would deactivate everybody.
  const send = (file: string | Buffer) =>
    client.import(file, { deactivate: 'true', update: 'true', filename: 'list.xlsx' })

  async function expectUnharmed(before: object, sentMs: number) {
    expect(await rowsOfUsers(world.database)).to.deep.equal(before)
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
    )
    await eventually(() => expect(childrenOf(worker.pid)).to.deep.equal([]))
    expect(
      worker.lines.filter(({ level, time }) => Number(level) >= 50 && Number(time) > sentMs),
    ).to.deep.equal([])
  }

  for (const { title, file, status, says } of FILES) {
    it(`refuses ${title}`, async () => {
      const slot = await createSlot(world)
      const before = await rowsOfUsers(world.database)
      const sentMs = Date.now()
      const refused = timed(() => send(Buffer.from(file())))
      const booked = await timed(() => client.post('bookings', slot))
      const { answer, tookMs } = await refused
      expect([answer.status, answer.json.code]).to.deep.equal([
        status,
        status === 413 ? 'too_large' : 'validation_failed',
      ])
      expect(answer.json.detail).to.match(says)
      if (status === 422) expect(answer.json.errors.file.join()).to.match(says)
      expect(tookMs).to.be.lessThan(promised(REFUSED_MS))
      expect([booked.answer.status, booked.tookMs < promised(BOOKED_MS)]).to.deep.equal([200, true])
      await expectUnharmed(before, sentMs)
    })
  }

  it('reads through a million empty rows to one that names no user', async () => {
    const before = await rowsOfUsers(world.database)
    const sentMs = Date.now()
    const { answer, tookMs } = await timed(() => send(emptyRows()))
    expect([answer.status, answer.json.rows, answer.json.errors]).to.deep.equal([200, 1, [1_048_576]])
    expect(tookMs).to.be.lessThan(promised(REFUSED_MS))
    await expectUnharmed(before, sentMs)
  })

  it('imports the next list normally', async () => {
    const { json } = await client.import('email,name\nann@example.com,Ann\n')
    expect(json.created).to.deep.equal([2])
    expect(worker.lines.filter(({ msg }) => msg === 'working')).to.have.length(1)
  })
})
