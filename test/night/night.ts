// Runs steps one after the other, and remembers each result. A run that was stopped goes on with the first step that has no
// result yet.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTable } from '../harness/findings.ts'
import { readTally, type Tally } from '../harness/tally.ts'
import type { Step } from './steps.ts'

export type StepResult = { name: string; seed?: number; hasPassed: boolean; minutes: number; tally: Tally }

export type NightOptions = {
  steps: Step[]
  /** The folder for the results and the output of each step. */
  folder: string
  /** No step begins after this time. */
  untilMs?: number
  /** Called with all results so far after each step. */
  onResults?(results: StepResult[]): Promise<void>
  log?(line: string): void
}

const OUTPUT_END_CHARACTERS = 100_000

/** Runs the steps that have no result yet. Returns the results of all steps, in this run and in earlier ones. */
export async function runNight({
  steps,
  folder,
  untilMs = Number.POSITIVE_INFINITY,
  onResults,
  log = console.log,
}: NightOptions): Promise<StepResult[]> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'results.json')
  const results = await readResults(file)
  for (const step of steps) {
    if (results.some(({ name }) => name === step.name)) continue
    if (Date.now() >= untilMs) break
    log(`${new Date().toISOString()} ${step.name}: ${step.command.join(' ')}`)
    results.push(await runStep(step, join(folder, `${step.name.replaceAll(/\W+/g, '-')}.log`)))
    await writeFile(file, JSON.stringify(results, null, 2))
    await onResults?.(results)
  }
  return results
}

async function readResults(file: string): Promise<StepResult[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function runStep({ name, command: [program = '', ...values], seed }: Step, log: string): Promise<StepResult> {
  const startedMs = Date.now()
  const child = spawn(program, values, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = createWriteStream(log)
  let end = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.write(text)
      end = (end + text).slice(-OUTPUT_END_CHARACTERS)
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      output.end()
      const minutes = Math.round((Date.now() - startedMs) / 6_000) / 10
      resolve({
        name,
        ...(seed !== undefined && { seed }),
        hasPassed: code === 0,
        minutes,
        tally: readTally(end),
      })
    })
  })
}

export function describeResults(steps: Step[], results: StepResult[]): string {
  return formatTable(
    ['step', 'result', 'minutes', 'counted'],
    steps.map(({ name }) => {
      const result = results.find((each) => each.name === name)
      if (!result) return [name, 'not run', '', '']
      const counted = Object.entries(result.tally).map(([what, count]) => `${count} ${what}`)
      return [name, result.hasPassed ? 'passed' : '**failed**', result.minutes, counted.join(', ')]
    }),
  )
}
