// Tests what a production installation must be able to do: run every documented command and every process of the
// Procfile with the installed packages, without changing the build.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseProcfile } from '../../../local/processes/supervise-process.ts'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { readServerUrls, useDatabase } from '../../support/databases.ts'
import { Client } from '../../support/http/http.ts'
import { type Child, startLine, type User } from '../../support/processes.ts'
import { eventually } from '../../support/time.ts'

// Test worlds use the Redis databases from 1 on, so database 0 is free.
const REDIS_DATABASE = 0

/** Returns the commands in docs/operations.md: the lines that begin with a command. */
export function readDocumentedCommands(): string[] {
  const text = readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8')
  return [...new Set([...text.matchAll(/^\| `npm run (\S+?)[` ]/gm)].map(([, name = '']) => name))]
}

/**
 * Defines tests of the installation in `folder`, which the suite must have created. If npm is missing, runs scripts in
 * the same way as npm.
 */
export function itRuns(
  folder: () => string,
  { withNpm, user }: { withNpm: boolean; user?: User | undefined },
): void {
  const database = useDatabase({ empty: true })
  const environment = () => ({
    PATH: process.env.PATH ?? '',
    HOME: folder(),
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: `${readServerUrls().redisUrl}/${REDIS_DATABASE}`,
  })
  const lineOf = (name: string) =>
    withNpm
      ? ['npm', 'run', '--silent', name, '--']
      : (readPackage(folder()).scripts[name] ?? expect.fail(`There is no script ${name}`)).split(' ')
  const execute = (program: string, args: string[]) =>
    new Promise<string>((resolve, reject) => {
      const options = { ...user, cwd: folder(), env: environment() }
      const child = execFile(program, args, options, (error, stdout, stderr) =>
        error ? reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`)) : resolve(stdout),
      )
      child.stdin?.end()
    })
  const run = (name: string, ...args: string[]) => {
    const [program = '', ...first] = lineOf(name)
    return execute(program, [...first, ...args])
  }
  let before: string[]

  it('runs every documented command', async () => {
    before = listBuilt(folder())
    const names = readDocumentedCommands()
    const helps = await Promise.all(names.map((name) => run(name, '--help')))
    for (const [index, help] of helps.entries())
      expect(help)
        .to.include(`npm run`)
        .and.include(names[index] ?? '')
    expect(await run('migrate')).to.match(/^Applied /)
    const sample = ['--buildings=1', '--locations=1', '--bookables=10', '--users=20', '--bookings=50']
    expect(await run('seed', ...sample)).to.include('50 bookings')
    const admin = ['create', '--email=ada@example.com']
    expect(await run('admin', ...admin)).to.include('ada@example.com')
    expect(await run('user', 'erase', '1', '--dry-run')).to.include('User 1 would be erased')
    expect(await run('grants')).to.match(/^BEGIN;/)
    expect(await run('token', 'list')).to.be.a('string')
  })

  it('starts all processes of the Procfile, executes a write, and stops them on SIGTERM', async () => {
    const options = ['create', '--name=test', '--abilities=read,object-write', '--json']
    const { token } = JSON.parse(await run('token', ...options)) as { token: string }
    const [release, ...others] = parseProcfile(readFileSync(join(folder(), 'Procfile'), 'utf8'))
    expect(release?.name).to.equal('release')
    expect(await execute('/bin/sh', ['-c', release?.command ?? ''])).to.equal('The database is up to date.\n')
    const running = others.map(({ name, command }) => ({
      name,
      child: startLine(command, { ...environment(), PORT: '0' }, folder(), user),
    }))
    const web = running.find(({ name }) => name === 'web')?.child ?? expect.fail('There is no web')
    const { port } = await web.line('listening')
    const client = new Client(`http://127.0.0.1:${port}`, token)
    await eventually(async () => {
      const { json } = await client.get('/readyz')
      expect(Object.values(json.workers)).to.deep.equal(Array(4).fill({ ok: true, count: 1 }))
    }, 60_000)
    const answer = await client.patch('bookables/1', { name: 'Desk by the door' })
    expect([answer.status, answer.json.data.name]).to.deep.equal([200, 'Desk by the door'])
    expect(JSON.parse(await run('doctor', '--json'))).to.include({ ok: true })
    for (const { child } of running) {
      child.kill('SIGTERM')
      await expectToEnd(child)
    }
  })

  it('builds nothing at run time', () => {
    expect(listBuilt(folder())).to.deep.equal(before)
  })
}

export function readPackage(folder: string): { scripts: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

async function expectToEnd({ ended, lines }: Child): Promise<void> {
  expect(await ended, JSON.stringify(lines)).to.equal(0)
}

function listBuilt(folder: string): string[] {
  const built = join(folder, 'dist')
  return readdirSync(built, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mtimeMs, size } = statSync(join(built, name))
    return `${name} ${size} ${mtimeMs}`
  })
}
