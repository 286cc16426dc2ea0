// The stages of an import, shown as a badge and as sentences about the current step and about the import's changes.

import { isReasonsColumn } from '../../../../shared/imports/user-columns.ts'
import type { ProgressPhase } from '../../../../shared/schemas/progress.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { formatFirstItems, formatList, formatNumber } from '../../pages/ui/parts.ts'
import type { ImportRow } from './queries.ts'

type ImportStage = 'waiting' | 'failed' | 'asking' | 'reviewed' | 'stale' | 'applied' | 'done'

const NAMED_IGNORED_MAX = 5

export function findImportStage({ state, name, reply }: ImportRow): ImportStage {
  if (state === 'failed') return 'failed'
  if (state !== 'done') return 'waiting'
  if (name === 'users.import') return 'done'
  if (reply?.asks) return 'asking'
  if (name.endsWith('.plan-import')) return 'reviewed'
  return reply?.applied ? 'applied' : 'stale'
}

export function showImportStatus(row: ImportRow): Html {
  const [tone, label] = describeStatus(row)
  return html`<span class="badge ${tone}">${label}</span>`
}

function describeStatus(row: ImportRow): [tone: '' | 'good' | 'warn' | 'bad' | 'accent', label: string] {
  switch (findImportStage(row)) {
    case 'waiting':
      return ['accent', row.state === 'queued' ? t`queued` : `${describePhase(row)}, ${row.progress} %`]
    case 'failed':
      return ['bad', t`failed`]
    case 'applied':
      return ['good', t`applied`]
    case 'done':
      return ['good', 'dry_run' in row.input && row.input.dry_run === true ? t`dry run` : t`done`]
    case 'asking':
      return row.hasFile ? ['warn', t`columns to choose`] : ['', t`expired`]
    default:
      return row.hasFile ? ['warn', t`ready to apply`] : ['', t`expired`]
  }
}

const PHASE_SENTENCES: Record<ProgressPhase, Sentence> = {
  reading: sentence`Reading the file`,
  read: sentence`Waiting for other imports`,
  checked: sentence`Comparing with existing people`,
  applying: sentence`Applying changes`,
  writing: sentence`Writing the file`,
}

/** The phases of imports of places. These imports do not wait for other imports. */
const PLACE_PHASE_SENTENCES: Record<ProgressPhase, Sentence> = {
  ...PHASE_SENTENCES,
  read: sentence`Comparing with existing desks and rooms`,
  checked: sentence`Comparing with existing desks and rooms`,
}

export function describePhase({ name, state, phase }: ImportRow): string {
  if (state === 'queued') return t`Waiting for a worker`
  if (phase === null) return t`Working`
  const isOfPlaces = name.startsWith('bookables.')
  // Applying reads the reviewed file again, but the page shows users no difference.
  const isApplying = name.endsWith('.apply-import-plan') && (isOfPlaces || phase !== 'read')
  if (isApplying) return translate(PHASE_SENTENCES.applying)
  return translate((isOfPlaces ? PLACE_PHASE_SENTENCES : PHASE_SENTENCES)[phase])
}

/** Returns the label of the button that applies the import. Returns undefined if the import changes nothing. */
export function describeChanges({ create, change, deactivate }: ImportCounts): string | undefined {
  const parts = [
    create > 0 && t`add ${formatNumber(create)}`,
    change > 0 && t`change ${formatNumber(change)}`,
    deactivate > 0 && t`deactivate ${formatNumber(deactivate)}`,
  ].filter(Boolean)
  return parts.length > 0 ? t`Apply: ${parts.join(', ')}` : undefined
}

/** Names the ignored columns, so that the user notices a misspelt heading before applying. `columns` maps
 * each heading to its column, if that is known. */
export function describeIgnoredColumns(header: string[], columns: Array<string | undefined>) {
  const isRead = (cell: string, place: number) => columns[place] !== undefined || isReasonsColumn(cell)
  const names = header.filter((cell, place) => cell.trim() !== '' && !isRead(cell, place))
  if (names.length === 0) return undefined
  const quoted = names.map((name) => t`“${name.trim()}”`)
  const all =
    names.length > NAMED_IGNORED_MAX ? formatFirstItems(quoted, NAMED_IGNORED_MAX) : formatList(quoted)
  return names.length === 1
    ? t`The unknown column ${all} is ignored.`
    : t`The unknown columns ${all} are ignored.`
}
