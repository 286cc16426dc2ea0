// Tests where commands find Postgres and Redis: in the environment, in the Berth that runs from this folder, or an
// error.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { findEnvironment, findLockHolder, lockFolder, writeRecord } from '../../local/tools/record.ts'
import { catchErrorMessage, makeFolder, removeFolder } from './support/local.ts'

const VARIABLE_NAMES = ['BERTH_DIR', 'DATABASE_URL', 'REDIS_URL'] as const
const RECORD = {
  url: 'http://127.0.0.1:3000',
  token: 'berth_x',
  admin: { email: 'admin@example.com', password: 'secret' },
  databaseUrl: 'postgres://berth:x@127.0.0.1:1/berth',
  redisUrl: 'redis://127.0.0.1:2',
}

describe('the Postgres and Redis that a command uses', () => {
  const saved = new Map(VARIABLE_NAMES.map((name) => [name, process.env[name]]))
  let folder: string

  beforeEach(() => {
    folder = makeFolder()
    for (const name of VARIABLE_NAMES) delete process.env[name]
    process.env['BERTH_DIR'] = folder
  })

  afterEach(() => {
    removeFolder(folder)
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  it('belong to the Berth that runs from the same folder', () => {
    writeRecord(folder, RECORD)
    const release = lockFolder(folder)
    expect(findEnvironment()).to.deep.equal({ databaseUrl: RECORD.databaseUrl, redisUrl: RECORD.redisUrl })
    process.env['DATABASE_URL'] = 'postgres://elsewhere/berth'
    expect(findEnvironment()).to.deep.equal({
      databaseUrl: 'postgres://elsewhere/berth',
      redisUrl: RECORD.redisUrl,
    })
    release()
  })

  it('never belong to a Berth that has stopped', async () => {
    writeRecord(folder, RECORD)
    expect(await catchErrorMessage(async () => findEnvironment())).to.match(
      /^No database: Berth is not running from [^\n]+ Start it in another terminal \(npm start\), or set DATABASE_URL\.$/,
    )
  })
})

describe('the lock of a folder', () => {
  it('ends with its process, even if another process gets the same process id', () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'lock'), `${process.pid} 1`)
    expect(findLockHolder(folder)).to.equal(undefined)
    const [one, two] = [lockFolder(folder), lockFolder(folder)]
    one()
    expect(findLockHolder(folder)).to.equal(process.pid)
    two()
    expect(findLockHolder(folder)).to.equal(undefined)
    removeFolder(folder)
  })
})
