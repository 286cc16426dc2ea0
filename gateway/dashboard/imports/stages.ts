// The stages of an import, as a badge and as what is going on now.
import type { Phase } from '../../../shared/contracts/progress.ts'
import { type Html, html } from '../../http/html.ts'
import type { ImportRow } from './queries.ts'

export type Stage = 'waiting' | 'failed' | 'reviewed' | 'stale' | 'applied' | 'done'

export function stageOf(row: ImportRow): Stage {
  if (row.state === 'failed') return 'failed'
  if (row.state !== 'done') return 'waiting'
  if (row.name === 'users.import') return 'done'
  if (row.name === 'users.plan-import') return 'reviewed'
  return row.reply?.applied ? 'applied' : 'stale'
}

export function showImportStatus(row: ImportRow): Html {
  const { words, tone } = describeStatus(row)
  return html`<span class="badge ${tone}">${words}</span>`
}

function describeStatus(row: ImportRow): { words: string; tone: '' | 'good' | 'warn' | 'bad' | 'accent' } {
  switch (stageOf(row)) {
    case 'waiting':
      return {
        words: row.state === 'queued' ? 'queued' : `${describePhase(row)}, ${row.progress} %`,
        tone: 'accent',
      }
    case 'failed':
      return { words: 'failed', tone: 'bad' }
    case 'applied':
      return { words: 'applied', tone: 'good' }
    case 'done':
      return { words: row.name === 'users.import' && row.input.dry_run ? 'dry run' : 'done', tone: 'good' }
    default:
      return row.hasFile ? { words: 'ready to apply', tone: 'warn' } : { words: 'expired', tone: '' }
  }
}

const PHASES: Record<Phase, string> = {
  reading: 'Reading the file',
  read: 'Waiting for other imports',
  checked: 'Comparing with existing people',
  applying: 'Applying changes',
  writing: 'Writing',
}

export function describePhase({ state, phase }: ImportRow): string {
  if (state === 'queued') return 'Waiting for a worker'
  return phase === null ? 'Working' : PHASES[phase]
}
