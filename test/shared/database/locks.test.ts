// Checks the advisory locks of Berth: each has a unique key, and all keys are in the registry.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import {
  LOCK_CLASSES,
  LOCKS,
  lockKeySql,
  tryLockSql,
  waitForLockSql,
} from '../../../shared/database/locks.ts'
import { useWorld } from '../../support/world.ts'

const REGISTRY_FILE = 'shared/database/locks.ts'
// This file uses the hash function only to generate seed data, and takes no lock.
const FILE_WITHOUT_LOCKS = 'commands/seed/sql.ts'

const sources = ['gateway', 'workers', 'shared', 'commands', 'local', 'migrations']
  .flatMap((folder) =>
    readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => file.endsWith('.ts'))
const findFilesWith = (words: RegExp) =>
  sources.filter((file) => words.test(readFileSync(join(projectDirectory, file), 'utf8')))

describe('advisory locks', () => {
  const world = useWorld({ workers: [] })

  it('use only keys from the registry of locks', () => {
    expect(findFilesWith(/advisory_(xact_)?(un)?lock/)).to.deep.equal([REGISTRY_FILE])
    expect(findFilesWith(/hashtext/)).to.have.members([REGISTRY_FILE, FILE_WITHOUT_LOCKS])
  })

  it('have unique keys, classes and prefixes', () => {
    const numbers = Object.values(LOCKS).map(String)
    expect(new Set(numbers)).to.have.length(numbers.length)
    const classes = Object.values(LOCK_CLASSES)
    expect(new Set(classes.map((each) => each.class))).to.have.length(classes.length)
    expect(new Set(classes.map(({ prefix }) => prefix))).to.have.length(classes.length)
  })

  it('have the same keys as in the previous release, so that both releases exclude each other', async () => {
    const former = {
      [lockKeySql('idempotencyKey', "'token:1 a'")]: "hashtextextended('token:1 a', 0)",
      [lockKeySql('claims', '7::bigint')]: "hashtextextended('bookable 7', 1)",
      [lockKeySql('userBookings', '7::bigint')]: "hashtextextended('bookings of user 7', 2)",
      [LOCKS.buildingNames]: "hashtextextended('names of buildings', 2)",
      [lockKeySql('floorWaits', '7::bigint')]: "hashtextextended('waits for 7', 3)",
    }
    for (const [key, formerKey] of Object.entries(former)) {
      const present = await world.database.transaction()
      const before = await world.database.transaction()
      try {
        await present.raw(`SELECT ${waitForLockSql(key)}`)
        const { rows } = await before.raw(`SELECT ${tryLockSql(formerKey)} AS got`)
        expect(rows, key).to.deep.equal([{ got: false }])
      } finally {
        await present.rollback()
        await before.rollback()
      }
    }
  })
})
