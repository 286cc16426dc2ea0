// npm run test:chaos and npm run test:fuzz: a run that must find nothing, then each planted fault, which must be
// detected.   --seed 7           repeats the same choices   --only PART        runs one part, or “planted”   --planted
// NAME     runs one planted fault   --controls         runs the scenes of the planted faults without the faults: they
// must find nothing
import { parseArgs } from 'node:util'
import { killChildren } from '../support/processes.ts'
import { type Finding, formatTable } from './findings.ts'
import { findBrokenPromises, type Planted } from './planted.ts'
import { formatTally, type Tally } from './tally.ts'

export type Report = { findings: Finding[]; text: string; tally: Tally }

type Options<Name extends string> = Record<Name, string>
type Choices<Name extends string> = Partial<Options<Name>> & { seed: number; only: string | undefined }

type Command<Name extends string, Fault extends Planted> = {
  /** The options of the command. Options with an empty default are omitted unless given. */
  options: Options<Name>
  /** Options that imply a part of the run. */
  implied?: Partial<Record<Name, string>>
  run(choices: Choices<Name>): Promise<Report>
  planted: Fault[]
  plant(fault: Fault, choices: { seed: number; isControl: boolean }): Promise<Report>
}

export async function runCommand<Name extends string, Fault extends Planted>(
  command: Command<Name, Fault>,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
      only: { type: 'string' },
      planted: { type: 'string' },
      controls: { type: 'boolean', default: false },
      ...Object.fromEntries(Object.keys(command.options).map((name) => [name, { type: 'string' as const }])),
    },
  })
  const own = { ...command.options, ...(values as object) } as Options<Name>
  const implied = Object.entries(command.implied ?? {}).find(([name]) => own[name as Name])?.[1] as
    | string
    | undefined
  const only = implied ?? (values.planted || values.controls ? 'planted' : values.only)
  const seed = Number(values.seed)
  console.log(`Seed ${seed}`)
  try {
    let isGood = true
    if (only !== 'planted') {
      const { text, findings, tally } = await command.run({ ...own, seed, only })
      console.log(text)
      console.log(formatTally({ ...tally, findings: findings.length }))
      isGood = findings.length === 0
    }
    if (only === undefined || only === 'planted') {
      const chosen = command.planted.filter(({ name }) => !values.planted || name === values.planted)
      const plant = { seed, isControl: values.controls, isVerbose: values.planted !== undefined }
      isGood = (await plantAll(command, chosen, plant)) && isGood
    }
    if (!isGood) process.exitCode = 1
  } finally {
    await killChildren()
  }
}

async function plantAll<Name extends string, Fault extends Planted>(
  { plant }: Command<Name, Fault>,
  faults: Fault[],
  { seed, isControl, isVerbose }: { seed: number; isControl: boolean; isVerbose: boolean },
): Promise<boolean> {
  const rows: Array<[string, number, string]> = []
  let isGood = faults.length > 0
  for (const fault of faults) {
    const startedMs = Date.now()
    const { findings, text } = await plant(fault, { seed, isControl })
    const found = isControl ? findings.map(({ promise }) => promise) : findBrokenPromises(fault, findings)
    const isWrong = found.length > 0 === isControl
    if (isWrong) isGood = false
    if (isWrong || isVerbose) console.log(`${fault.name}\n${text}`)
    rows.push([fault.name, Math.round((Date.now() - startedMs) / 1_000), found.join('; ') || 'nothing'])
    console.log(rows.at(-1)?.join(' | '))
  }
  console.log(formatTable([isControl ? 'run without the fault' : 'planted fault', 'seconds', 'found'], rows))
  return isGood
}
