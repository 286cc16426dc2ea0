// npm run test:night: chaos, fuzz, long tests, scale and bench, one after the other, for a night or more. Goes on where it was
// stopped, and adds a row to the ledger in docs/reliability.md.
//   -- --hours 8           begins no step after eight hours
//   -- --only chaos,fuzz   runs only steps whose names begin with one of these
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../../local/tools/folders.ts'
import { updateLedger } from './ledger.ts'
import { describeResults, runNight, type StepResult } from './night.ts'
import { listSteps } from './steps.ts'

const LEDGER = 'docs/reliability.md'
const HOUR_MS = 3_600_000

const git = (...values: string[]) =>
  execFileSync('git', values, { cwd: projectDirectory, encoding: 'utf8' }).trim()

const { values } = parseArgs({ options: { hours: { type: 'string' }, only: { type: 'string' } } })
const changed = git('status', '--porcelain', '--', ':!docs')
if (changed) {
  console.error(`Commit these changes first, because the ledger names the commit:\n${changed}`)
  process.exit(2)
}

const commit = git('rev-parse', '--short=8', 'HEAD')
const prefixes = values.only?.split(',') ?? ['']
const steps = listSteps(commit).filter(({ name }) => prefixes.some((each) => name.startsWith(each)))
const results = await runNight({
  steps,
  folder: join(projectDirectory, '.berth', 'night', commit),
  onResults: keepLedger,
  ...(values.hours && { untilMs: Date.now() + Number(values.hours) * HOUR_MS }),
})
console.log(describeResults(steps, results))
const hasPassed = steps.every(({ name }) => results.some((each) => each.name === name && each.hasPassed))
if (!hasPassed) process.exitCode = 1

async function keepLedger(done: StepResult[]) {
  const file = join(projectDirectory, LEDGER)
  await writeFile(file, updateLedger(await readFile(file, 'utf8'), commit, done))
}
