// Where an import stands, in words.
import type { ImportRow } from './queries.ts'

export type Stage = 'waiting' | 'failed' | 'looked-at' | 'stale' | 'applied' | 'done'

export function stageOf({ state, input, answer }: ImportRow): Stage {
  if (state === 'failed') return 'failed'
  if (state !== 'done') return 'waiting'
  // One of the API: its answer is its own.
  if (!input.details) return 'done'
  if (answer?.applied) return 'applied'
  return input.dry_run ? 'looked-at' : 'stale'
}

export function stateOf(row: ImportRow): { words: string; tone: '' | 'good' | 'warn' | 'bad' | 'accent' } {
  switch (stageOf(row)) {
    case 'waiting':
      return {
        words: row.state === 'queued' ? 'waits' : `${stepOf(row)}, ${row.progress} %`,
        tone: 'accent',
      }
    case 'failed':
      return { words: 'refused', tone: 'bad' }
    case 'applied':
      return { words: 'applied', tone: 'good' }
    case 'done':
      return { words: row.input.dry_run ? 'tried' : 'done', tone: 'good' }
    default:
      if (row.appliedBy !== null) return { words: 'looked at', tone: '' }
      return row.hasFile ? { words: 'waits to be applied', tone: 'warn' } : { words: 'expired', tone: '' }
  }
}

const STEPS: Record<string, string> = {
  reading: 'Reading the file',
  read: 'Waiting for its turn',
  comparing: 'Comparing with the people there are',
  applying: 'Writing',
}

export function stepOf({ state, step }: ImportRow): string {
  if (state === 'queued') return 'Waiting for a worker'
  return STEPS[step ?? ''] ?? 'Working'
}
