// An import in words: what was asked of it, and what it does.
import type { InputOf } from '../../shared/jobs.ts'
import type { Counts } from './queries/imports.ts'

type Options = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const KEYS = { email: 'e-mail', id: 'id', upn: 'UPN' } as const

export function wordOptions({ update, restore, deactivate, key_column: key }: Options): string {
  const asked = [
    'adds people',
    ...(update ? ['updates those who are there'] : []),
    ...(restore ? ['restores deactivated ones'] : []),
    ...(deactivate ? ['deactivates whoever is not in it'] : []),
  ]
  return `The list ${joined(asked)}; people are recognised by ${KEYS[key]}.`
}

export function wordCounts(counts: Counts, isDone: boolean): string {
  const verb = (one: string, done: string) => (isDone ? done : one)
  const parts = [
    part(counts.create, verb('is added', 'was added'), verb('are added', 'were added')),
    part(counts.change, verb('is changed', 'was changed'), verb('are changed', 'were changed')),
    part(
      counts.deactivate,
      verb('is deactivated', 'was deactivated'),
      verb('are deactivated', 'were deactivated'),
    ),
  ].filter((each) => each !== undefined)
  const rows = [
    ...(counts.skip > 0 ? [`${wordRows(counts.skip)} skipped`] : []),
    ...(counts.error > 0 ? [`${wordRows(counts.error)} refused`] : []),
  ]
  const sentences = [
    parts.length > 0 ? joined(parts) : 'Nobody is changed',
    ...(rows.length > 0 ? [joined(rows)] : []),
  ]
  return sentences.map((each) => `${each}.`).join(' ')
}

/** What the button says; undefined where there is nothing to do. */
export function wordApply({ create, change, deactivate }: Counts): string | undefined {
  const parts = [
    ...(create > 0 ? [`add ${number(create)}`] : []),
    ...(change > 0 ? [`change ${number(change)}`] : []),
    ...(deactivate > 0 ? [`deactivate ${number(deactivate)}`] : []),
  ]
  return parts.length > 0 ? `Apply: ${parts.join(', ')}` : undefined
}

function part(count: number, one: string, many: string): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? `One person ${one}` : `${number(count)} people ${many}`
}

const wordRows = (count: number) => (count === 1 ? 'One row is' : `${number(count)} rows are`)

function joined(parts: string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

const number = (value: number) => value.toLocaleString('en')
