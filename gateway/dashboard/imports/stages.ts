// The stages of an import, as a badge and as a sentence about the current step.
import type { Phase } from '../../../shared/schemas/progress.ts'
import { type Html, html } from '../../http/html.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import type { AnyImport } from './queries.ts'

type Stage = 'waiting' | 'failed' | 'reviewed' | 'stale' | 'applied' | 'done'

export function stageOf({ state, name, reply }: AnyImport): Stage {
  if (state === 'failed') return 'failed'
  if (state !== 'done') return 'waiting'
  if (name === 'users.import') return 'done'
  if (name.endsWith('.plan-import')) return 'reviewed'
  return reply?.applied ? 'applied' : 'stale'
}

export function showImportStatus(row: AnyImport): Html {
  const { words, tone } = describeStatus(row)
  return html`<span class="badge ${tone}">${words}</span>`
}

function describeStatus(row: AnyImport): { words: string; tone: '' | 'good' | 'warn' | 'bad' | 'accent' } {
  switch (stageOf(row)) {
    case 'waiting':
      return {
        words: row.state === 'queued' ? t`queued` : `${describePhase(row)}, ${row.progress} %`,
        tone: 'accent',
      }
    case 'failed':
      return { words: t`failed`, tone: 'bad' }
    case 'applied':
      return { words: t`applied`, tone: 'good' }
    case 'done':
      return {
        words: 'dry_run' in row.input && row.input.dry_run === true ? t`dry run` : t`done`,
        tone: 'good',
      }
    default:
      return row.hasFile ? { words: t`ready to apply`, tone: 'warn' } : { words: t`expired`, tone: '' }
  }
}

const PHASES: Record<Phase, Sentence> = {
  reading: sentence`Reading the file`,
  read: sentence`Waiting for other imports`,
  checked: sentence`Comparing with existing people`,
  applying: sentence`Applying changes`,
  writing: sentence`Writing`,
}

/** An import of places does not wait for other imports. */
const PHASES_OF_PLACES: Record<Phase, Sentence> = {
  ...PHASES,
  read: sentence`Comparing with what is there`,
  checked: sentence`Comparing with what is there`,
}

/** Applying reads the reviewed file again; users cannot tell the difference. */
const PHASES_OF_APPLYING: Record<Phase, Sentence> = {
  ...PHASES,
  reading: PHASES.applying,
  checked: PHASES.applying,
}

export function describePhase({ name, state, phase }: AnyImport): string {
  if (state === 'queued') return t`Waiting for a worker`
  if (phase === null) return t`Working`
  if (name === 'users.apply-import-plan') return translate(PHASES_OF_APPLYING[phase])
  if (name === 'bookables.apply-import-plan') return translate(PHASES.applying)
  return translate((name.startsWith('users.') ? PHASES : PHASES_OF_PLACES)[phase])
}
