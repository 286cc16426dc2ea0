// Where commands find the services: the environment first, then the Berth that runs from this folder, else a sentence.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { findEnvironment, findLockHolder, lockFolder, writeRecord } from '../../local/tools/record.ts'
import { errorOf, makeFolder, removeFolder } from './support/local.ts'

const NAMES = ['BERTH_DIR', 'DATABASE_URL', 'REDIS_URL'] as const
const RECORD = {
  url: 'http://127.0.0.1:3000',
  token: 'berth_x',
  admin: { email: 'admin@example.com', password: 'secret' },
  databaseUrl: 'postgres://berth:x@127.0.0.1:1/berth',
  redisUrl: 'redis://127.0.0.1:2',
}

describe('the services of a command', () => {
  const saved = new Map(NAMES.map((name) => [name, process.env[name]]))
  let folder: string

  beforeEach(() => {
    folder = makeFolder()
    for (const name of NAMES) delete process.env[name]
    process.env['BERTH_DIR'] = folder
  })

  afterEach(() => {
    removeFolder(folder)
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  it('belong to the running Berth', () => {
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

  it('do not belong to a stopped Berth', async () => {
    writeRecord(folder, RECORD)
    expect(await errorOf(async () => findEnvironment())).to.match(
      /^No database: Berth is not running from [^\n]+ Start it in another terminal \(npm start\), or set DATABASE_URL\.$/,
    )
  })
})

describe('the lock of a folder', () => {
  it('is released when the process is gone, even if another process gets its id', () => {
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
