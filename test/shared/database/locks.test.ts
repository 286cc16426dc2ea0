// The advisory locks of Berth: each has a unique key, and all keys are in the registry.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { LOCK_CLASSES, LOCKS, lockOf, tryLock, waitForLock } from '../../../shared/database/locks.ts'
import { useWorld } from '../../support/world.ts'

const REGISTRY = 'shared/database/locks.ts'
// Generates the seed data; takes no lock.
const HASHES_FOR_DATA = 'commands/seed/sql.ts'

const sources = ['gateway', 'workers', 'shared', 'commands', 'local', 'migrations']
  .flatMap((folder) =>
    readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => file.endsWith('.ts'))
const filesWith = (words: RegExp) =>
  sources.filter((file) => words.test(readFileSync(join(projectDirectory, file), 'utf8')))

describe('advisory locks', () => {
  const world = useWorld({ workers: [] })

  it('are taken only with keys of the registry', () => {
    expect(filesWith(/advisory_(xact_)?(un)?lock/)).to.deep.equal([REGISTRY])
    expect(filesWith(/hashtext/)).to.have.members([REGISTRY, HASHES_FOR_DATA])
  })

  it('have unique keys, classes and prefixes', () => {
    const numbers = Object.values(LOCKS).map(String)
    expect(new Set(numbers)).to.have.length(numbers.length)
    const classes = Object.values(LOCK_CLASSES)
    expect(new Set(classes.map((each) => each.class))).to.have.length(classes.length)
    expect(new Set(classes.map(({ prefix }) => prefix))).to.have.length(classes.length)
  })

  it('also exclude processes of the previous release, which computes the same keys', async () => {
    const former = {
      [lockOf('idempotencyKey', "'token:1 a'")]: "hashtextextended('token:1 a', 0)",
      [lockOf('claims', '7::bigint')]: "hashtextextended('bookable 7', 1)",
      [lockOf('userBookings', '7::bigint')]: "hashtextextended('bookings of user 7', 2)",
      [LOCKS.buildingNames]: "hashtextextended('names of buildings', 2)",
      [lockOf('floorWaits', '7::bigint')]: "hashtextextended('waits for 7', 3)",
    }
    for (const [key, formerKey] of Object.entries(former)) {
      const present = await world.database.transaction()
      const before = await world.database.transaction()
      try {
        await present.raw(`SELECT ${waitForLock(key)}`)
        const { rows } = await before.raw(`SELECT ${tryLock(formerKey)} AS got`)
        expect(rows, key).to.deep.equal([{ got: false }])
      } finally {
        await present.rollback()
        await before.rollback()
      }
    }
  })
})
