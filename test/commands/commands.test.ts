// Tests the commands that have no test file of their own, and the features that all commands share.
import { expect } from 'chai'
import { connectDatabase } from '../../shared/database/database.ts'
import { listMigrations } from '../../shared/database/migrations.ts'
import { useDatabase } from '../support/databases.ts'
import { runAgainst } from './support/run.ts'

describe('npm commands', () => {
  const database = useDatabase({ empty: true })
  const run = runAgainst(database)

  it('prints the help of a command without a database', async () => {
    const without = runAgainst({ databaseUrl: '' })
    const names = ['seed', 'token', 'admin', 'migrate', 'grants', 'user', 'doctor']
    const outcomes = await Promise.all(names.map((name) => without(name, ['--help'])))
    for (const [index, { code, stdout }] of outcomes.entries()) {
      expect(code).to.equal(0)
      expect(stdout).to.match(new RegExp(`npm run (--silent )?${names[index]}`))
    }
  })

  it('migrates a database, lists its migrations, and reverts the newest one', async () => {
    const names = await listMigrations()
    expect((await run('migrate', ['status'])).stdout.split('\n')).to.include(`pending  ${names[0]}`)
    expect((await run('migrate', [])).stdout).to.equal(`Applied ${names.join(', ')}.\n`)
    expect((await run('migrate', ['down'])).stdout).to.equal(`Reverted ${names.at(-1)}.\n`)
    const lines = names.map((name, index) => `${index < names.length - 1 ? 'applied' : 'pending'}  ${name}\n`)
    expect((await run('migrate', ['status'])).stdout).to.equal(lines.join(''))
    await run('migrate', ['up'])
    expect((await run('migrate', [])).stdout).to.equal('The database is up to date.\n')
  })

  it('refuses a database that a newer release has migrated, and changes nothing', async () => {
    const connection = connectDatabase(database.databaseUrl)
    await connection('migrations').insert({ name: '9999-later', batch: 9, migration_time: new Date() })
    const newer = 'The database is newer than this release: it has 9999-later.'
    expect(await run('migrate', [])).to.deep.equal({
      code: 0,
      stdout: `${newer} These were left as they are.\nThe database is up to date.\n`,
      stderr: '',
    })
    expect((await run('migrate', ['status'])).stdout).to.match(/newer {4}9999-later\n$/)
    const down = await run('migrate', ['down'])
    expect([down.code, down.stderr]).to.deep.equal([1, `${newer} Revert these with that release.\n`])
    expect((await run('migrate', ['status'])).stdout).to.not.include('pending')
    await connection('migrations').where({ name: '9999-later' }).delete()
    await connection.destroy()
  })

  it('seeds the requested data, and reports the number of rows and the duration', async () => {
    const numbers = ['--users', '20', '--bookables', '40', '--bookings', '300', '--seed', '5']
    const { code, stdout } = await run('seed', numbers)
    expect(code).to.equal(0)
    expect(stdout).to.match(
      /20 users .*\n.*2 buildings, 10 locations, 40 bookables\n(?:.* so far\n)*.*300 bookings\n/,
    )
    expect(stdout).to.match(/ \d+\.\d s {2}done\n$/)
    const wrong = await run('seed', ['--bookings=-5'])
    expect(wrong).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: '--bookings must be a whole number from 0 to 100000000, not “-5”.\n',
    })
  })

  it('prints the SQL grants for a given database role', async () => {
    const { stdout } = await run('grants', ['--role', 'front "desk"'])
    expect(stdout).to.include('TO "front ""desk""";')
    expect(stdout, 'all or nothing').to.match(/^BEGIN;\n.*\nCOMMIT;\n$/s)
    expect((await run('grants', ['--role', ''])).code).to.equal(1)
  })
})
