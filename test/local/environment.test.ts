// Where commands find the services: the environment first, then the Berth that runs from this folder, else a sentence.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { findEnvironment } from '../../local/environment.ts'
import { findOwner, ownFolder } from '../../local/folder-lock.ts'
import { writeRecord } from '../../local/record.ts'
import { makeFolder, problemOf, removeFolder } from './support/local.ts'

const NAMES = ['BERTH_DIR', 'DATABASE_URL', 'REDIS_URL'] as const
const RECORD = {
  url: 'http://127.0.0.1:3000',
  token: 'berth_x',
  admin: { email: 'admin@example.com', password: 'secret' },
  databaseUrl: 'postgres://berth:x@127.0.0.1:1/berth',
  redisUrl: 'redis://127.0.0.1:2',
}

describe('the services of a command', () => {
  const former = new Map(NAMES.map((name) => [name, process.env[name]]))
  let folder: string

  beforeEach(() => {
    folder = makeFolder()
    for (const name of NAMES) delete process.env[name]
    process.env['BERTH_DIR'] = folder
  })

  afterEach(() => {
    removeFolder(folder)
    for (const [name, value] of former) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  it('are those of the Berth that runs', () => {
    writeRecord(folder, RECORD)
    const release = ownFolder(folder)
    expect(findEnvironment()).to.deep.equal({ databaseUrl: RECORD.databaseUrl, redisUrl: RECORD.redisUrl })
    process.env['DATABASE_URL'] = 'postgres://elsewhere/berth'
    expect(findEnvironment()).to.deep.equal({
      databaseUrl: 'postgres://elsewhere/berth',
      redisUrl: RECORD.redisUrl,
    })
    release()
  })

  it('are not those of one that has stopped', async () => {
    writeRecord(folder, RECORD)
    expect(await problemOf(async () => findEnvironment())).to.match(
      /^No database: start Berth in another terminal \(npm start\), or set DATABASE_URL/,
    )
  })
})

describe('the owner of a folder', () => {
  it('is forgotten when the process is gone, even if its number lives on', () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'owner'), `${process.pid} 1`)
    expect(findOwner(folder)).to.equal(undefined)
    const [one, two] = [ownFolder(folder), ownFolder(folder)]
    one()
    expect(findOwner(folder)).to.equal(process.pid)
    two()
    expect(findOwner(folder)).to.equal(undefined)
    removeFolder(folder)
  })
})
