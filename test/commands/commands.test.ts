// What the other commands do, and what all of them have in common.
import { expect } from 'chai'
import { listMigrations } from '../../shared/migrations.ts'
import { useDatabase } from '../support/databases.ts'
import { runAgainst } from './support/run.ts'

describe('commands', () => {
  const run = runAgainst(useDatabase({ empty: true }))

  it('explain themselves without a database', async () => {
    const without = runAgainst({ databaseUrl: '' })
    const names = ['seed', 'token', 'admin', 'migrate', 'grants', 'user']
    const outcomes = await Promise.all(names.map((name) => without(name, ['--help'])))
    for (const [index, { code, stdout }] of outcomes.entries()) {
      expect(code).to.equal(0)
      expect(stdout).to.match(new RegExp(`npm run (--silent )?${names[index]}`))
    }
  })

  it('bring a database up, say where it stands, and take the newest migration back', async () => {
    const names = await listMigrations()
    expect((await run('migrate', ['status'])).stdout.split('\n')).to.include(`pending  ${names[0]}`)
    expect((await run('migrate', [])).stdout).to.equal(`Applied ${names.join(', ')}.\n`)
    expect((await run('migrate', ['down'])).stdout).to.equal(`Reverted ${names.at(-1)}.\n`)
    const lines = names.map((name, index) => `${index < names.length - 1 ? 'applied' : 'pending'}  ${name}\n`)
    expect((await run('migrate', ['status'])).stdout).to.equal(lines.join(''))
    await run('migrate', ['up'])
    expect((await run('migrate', [])).stdout).to.equal('The database is up to date.\n')
  })

  it('seed what is asked for, and tell what and how long', async () => {
    const numbers = ['--users', '20', '--bookables', '40', '--bookings', '300', '--seed', '5']
    const { code, stdout } = await run('seed', numbers)
    expect(code).to.equal(0)
    expect(stdout).to.match(/20 users .*\n.*2 buildings, 10 locations, 40 bookables\n.*300 bookings\n/)
    expect(stdout).to.match(/ \d+\.\d s {2}done\n$/)
    const wrong = await run('seed', ['--bookings=-5'])
    expect(wrong).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: '--bookings must be a whole number from 0 to 100000000, not “-5”.\n',
    })
  })

  it('print the grants of any role', async () => {
    const { stdout } = await run('grants', ['--role', 'front "desk"'])
    expect(stdout).to.include('TO "front ""desk""";')
    expect(stdout, 'all or nothing').to.match(/^BEGIN;\n.*\nCOMMIT;\n$/s)
    expect((await run('grants', ['--role', ''])).code).to.equal(1)
  })
})
