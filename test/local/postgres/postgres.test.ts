// Tests the PostgreSQL of `npm start`: it keeps its data, its folders are private, and it survives a kill.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startPostgres } from '../../../local/postgres/postgres.ts'
import { isAlive, waitForEnd } from '../../../local/tools/processes.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { promised } from '../../support/time.ts'
import {
  catchErrorMessage,
  holdService,
  killHolder,
  killWatchdog,
  makeFolder,
  query,
  removeFolder,
} from '../support/local.ts'

const POSTGRES_SETTINGS = { fsync: 'off' }

describe('local PostgreSQL', function () {
  this.timeout(120_000)
  let folder: string
  let directory: string
  let server: Server | undefined

  const start = async (port?: number) => {
    server = await startPostgres({ directory, settings: POSTGRES_SETTINGS, ...(port ? { port } : {}) })
    return server
  }

  before(() => {
    folder = makeFolder()
    directory = join(folder, 'postgres')
  })

  afterEach(async () => server?.stop())
  after(() => removeFolder(folder))

  it('keeps its data after a restart', async () => {
    const first = await start()
    await query(first.url, 'CREATE TABLE kept (word text)')
    await query(first.url, "INSERT INTO kept VALUES ('Kajüte')")
    await first.stop()
    expect(isAlive(first.pid)).to.equal(false)
    const second = await start()
    expect(await query(second.url, 'SELECT word, lower(word) AS lower FROM kept')).to.deep.equal([
      { word: 'Kajüte', lower: 'kajüte' },
    ])
  })

  it('provides the same extensions and settings on every machine', async () => {
    const { url } = await start()
    await query(url, 'CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE EXTENSION IF NOT EXISTS pg_trgm')
    const [row] = await query(
      url,
      `SELECT current_setting('timezone') AS timezone, current_setting('server_encoding') AS encoding,
        current_setting('listen_addresses') AS addresses, current_setting('fsync') AS fsync,
        current_setting('log_error_verbosity') AS verbosity`,
    )
    expect(row).to.deep.equal({
      timezone: 'UTC',
      encoding: 'UTF8',
      addresses: '127.0.0.1',
      fsync: 'off',
      verbosity: 'terse',
    })
  })

  it('requires a password, stored in a file that only its user can read', async () => {
    const { url } = await start()
    const wrong = new URL(url)
    wrong.password = 'wrong'
    expect(await catchErrorMessage(() => query(wrong.href, 'SELECT 1'))).to.match(
      /password authentication failed/,
    )
    expect(statSync(join(directory, 'password')).mode & 0o077).to.equal(0)
    expect(readFileSync(join(directory, 'password'), 'utf8')).to.match(/^[0-9a-f]{48}$/)
  })

  it('runs in a folder whose parent folder only its owner may enter', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o700)
    const inside = await startPostgres({
      directory: join(closed, 'inside/postgres'),
      settings: POSTGRES_SETTINGS,
    })
    await query(inside.url, 'CREATE TABLE written (id int)')
    await inside.stop()
    expect(statSync(closed).mode & 0o777).to.equal(0o700)
  })

  it('restarts on the same port after it was killed', async () => {
    const first = await start()
    first.kill('SIGKILL')
    const second = await start(first.port)
    expect(second.port).to.equal(first.port)
    expect(await query(second.url, 'SELECT count(*)::int AS count FROM kept')).to.deep.equal([{ count: 1 }])
  })

  it('stops by itself when the process that started it is killed', async () => {
    const held = await holdService('postgres', directory)
    await killHolder(held)
    expect(await waitForEnd(held.pid, promised(5_000))).to.equal(true)
  })

  it('replaces a Postgres process that an earlier start left running', async () => {
    const held = await holdService('postgres', directory)
    killWatchdog(held)
    await killHolder(held)
    expect(isAlive(held.pid)).to.equal(true)
    const { url } = await start()
    expect(isAlive(held.pid)).to.equal(false)
    expect(await query(url, 'SELECT word FROM kept')).to.deep.equal([{ word: 'Kajüte' }])
  })

  it('does not stop another program that has the process id of an earlier Postgres', async () => {
    const stranger: ChildProcess = spawn('sleep', ['60'])
    try {
      const file = join(directory, 'data/postmaster.pid')
      writeFileSync(
        file,
        [stranger.pid, join(directory, 'data'), '1', '5432', '', '127.0.0.1', '1 1', ''].join('\n'),
      )
      const { url } = await start()
      expect(await query(url, 'SELECT word FROM kept')).to.deep.equal([{ word: 'Kajüte' }])
      expect(isAlive(stranger.pid as number)).to.equal(true)
    } finally {
      stranger.kill('SIGKILL')
    }
  })

  it('refuses a folder in which another process runs Postgres', async () => {
    const held = await holdService('postgres', directory)
    try {
      expect(await catchErrorMessage(() => start())).to.equal(
        `${directory} is in use by process ${held.holder.pid}.`,
      )
      expect(isAlive(held.pid)).to.equal(true)
    } finally {
      await killHolder(held)
      await waitForEnd(held.pid, promised(5_000))
    }
  })

  it('explains in a single line why it cannot start', async () => {
    const { port } = await start()
    const work = () => startPostgres({ directory: join(folder, 'second'), port, settings: POSTGRES_SETTINGS })
    expect(await catchErrorMessage(work)).to.match(
      /^PostgreSQL did not start: [^\n]+ \(log: [^\n]+postgres\.log\)\.$/,
    )
  })
})
