// Tests how `npm run test:night` goes on after a stop, and what it writes into the ledger.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { formatTally } from '../harness/tally.ts'
import { use } from '../support/use.ts'
import { updateLedger } from './ledger.ts'
import { describeResults, runNight } from './night.ts'
import { listSteps, type Step } from './steps.ts'

const printTally = (writes: number, exitCode = 0): string[] => [
  process.execPath,
  '-e',
  `console.log('many lines'); console.log(${JSON.stringify(formatTally({ writes, findings: 0 }))}); process.exitCode = ${exitCode}`,
]

describe('npm run test:night', () => {
  const folder = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-night-')) }), {
    close: ({ path }) => rm(path, { recursive: true }),
  })

  const log = () => undefined
  const steps: Step[] = [
    { name: 'chaos 1 of 2', seed: 7, command: printTally(20) },
    { name: 'chaos 2 of 2', seed: 8, command: printTally(30, 1) },
    { name: 'bench', command: [process.execPath, '-e', ''] },
  ]

  it('runs each step once, even if it was stopped in between, and shows all results in one table', async () => {
    const options = { log, folder: join(folder.path, 'resumed') }
    expect(await runNight({ ...options, steps: steps.slice(0, 1) })).to.have.length(1)
    const failing = { ...steps[0], command: [process.execPath, '-e', 'process.exit(1)'] } as Step
    const results = await runNight({ ...options, steps: [failing, ...steps.slice(1)] })
    expect(results.map(({ hasPassed }) => hasPassed)).to.deep.equal([true, false, true])
    const table = describeResults([...steps, { name: 'scale', command: [] }], results)
    expect(table).to.match(/chaos 1 of 2 \| passed \| [\d.]+ \| 20 writes, 0 findings/)
    expect(table).to.match(/chaos 2 of 2 \| \*\*failed\*\* \|/)
    expect(table).to.include('| scale | not run |')
    expect(await readFile(join(options.folder, 'chaos-1-of-2.log'), 'utf8')).to.include('many lines')
  })

  it('begins no step once its time is over', async () => {
    const results = await runNight({ log, steps, folder: join(folder.path, 'late'), untilMs: Date.now() - 1 })
    expect(results).to.deep.equal([])
  })

  it('adds up the results of a commit in one row of the ledger', async () => {
    const results = await runNight({ log, steps, folder: join(folder.path, 'ledger') })
    const document = await readFile(join(projectDirectory, 'docs/reliability.md'), 'utf8')
    const once = updateLedger(document, 'abcdef01', results)
    expect(once).to.include('| abcdef01 | 7 to 8 | 50 | 0 | 0 | 0 | 0 |\n')
    expect(updateLedger(once, 'abcdef01', results)).to.equal(once)
  })

  it('has 200,000 writes, 1,000,000 requests, 20,000 races and 20,000 files, each step with a seed of its own', () => {
    const all = listSteps('abcdef01')
    const sum = (option: string) =>
      all
        .flatMap(({ command }) => command)
        .filter((each) => each.startsWith(`${option}=`))
        .reduce((total, each) => total + Number(each.split('=')[1]), 0)
    expect(['--writes', '--requests', '--races', '--files'].map(sum)).to.deep.equal([
      200_000, 1_000_000, 20_000, 20_000,
    ])
    expect(new Set(all.map(({ name }) => name))).to.have.property('size', all.length)
  })
})
