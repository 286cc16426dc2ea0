// What the pages of an import have in common, whatever it lists: who may apply it, how far it is, why it failed, and what is
// said before and after.
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { PageFailure } from '../framework/failure.ts'
import type { Call } from '../framework/page.ts'
import { t } from '../language/translate.ts'
import { describeFailure } from '../ui/failure-page.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { formatNumber } from '../ui/words.ts'
import type { AnyImport } from './queries.ts'
import { describePhase } from './stages.ts'
import { describeChanges } from './words.ts'

const isOwn = (call: Call, { adminId }: AnyImport) => adminId === call.requireAdmin().id

const describeOwner = ({ actorName }: AnyImport) =>
  t`Only ${actorName}, who uploaded the file, can apply this import.`

/** For whoever applies it, or has it reviewed again. */
export function requireOwn(call: Call, row: AnyImport): void {
  if (!isOwn(call, row)) throw new PageFailure(403, t`Not yours`, describeOwner(row))
  // Once it is applied the file is gone, and whoever sends the form again is led to what came of it.
  if (row.hasFile || row.appliedBy !== null) return
  throw new PageFailure(
    409,
    t`Expired`,
    t`This import has expired: it was already applied, or its file was uploaded more than 24 hours ago. Upload the file again.`,
  )
}

/** Of a page whose live part `progress` is `describeProgress`. */
export async function showProgress(call: Call): Promise<Html> {
  return html`<div class="card narrow">${await call.live('progress')}
<p class="soft">${t`You can leave this page and come back later.`} ${showLink(call.linkHere(), t`Refresh`)}</p></div>`
}

export function describeProgress(row: AnyImport): Html {
  if (row.finishedAt !== null) return html`<p data-reload><strong>${t`Done.`}</strong></p>`
  const rows = row.rowsRead === null ? '' : `${t`Rows read: ${formatNumber(row.rowsRead)}.`} `
  const meanwhile = row.name.endsWith('.plan-import')
    ? t`Nothing has been changed yet.`
    : t`Either all changes are applied or none.`
  return html`<p id="step"><strong>${describePhase(row)}</strong></p>
<progress max="100" value="${row.progress}" aria-labelledby="step">${row.progress} %</progress>
<p class="soft">${rows}${meanwhile}</p>`
}

export function showFailure(call: Call, row: AnyImport, start: string): Html {
  const sentences = row.failure ? describeFailure(row.failure) : [t`The import failed.`]
  return html`<div class="notice bad" role="alert">${sentences.map((each) => html`<p>${each}</p>`)}</div>
<p>${t`Nothing was changed.`}</p>
<div class="buttons">${showLink(start, t`Choose another file`, { class: 'button primary' })}
${row.hasFile && isOwn(call, row) && form(call, { action: 'review-again', submit: t`Try again`, tone: 'quiet', isInline: true })}</div>`
}

/** `isKept`: its plan still is. */
type Kept = { start: string; review: string; isKept: boolean }

/** Undefined where it can be applied. */
export function showWhyNot(call: Call, row: AnyImport, { start, review, isKept }: Kept): Html | undefined {
  if (row.appliedBy !== null)
    return html`<div class="notice good"><p>${t`This import has already been submitted.`} ${showLink(call.link(`${review}${row.appliedBy}`), t`View the result`)}</p></div>`
  if (!row.hasFile || !isKept)
    return html`<div class="notice warn"><p>${t`This import has expired.`} ${showLink(start, t`Upload the file again`)}</p></div>`
  if (!isOwn(call, row)) return html`<div class="notice warn"><p>${describeOwner(row)}</p></div>`
  return undefined
}

/** `told`: how many rows of each kind. */
type Question = { counts: ImportCounts; told: string; hint: Content }

export function askToApply(call: Call, start: string, { counts, told, hint }: Question): Html {
  const submit = describeChanges(counts)
  if (submit === undefined)
    return html`<div class="card"><p><strong>${t`Nothing to apply.`}</strong> ${told}</p>${hint}
${showLink(start, t`Choose another file`, { class: 'button quiet' })}</div>`
  const tone = counts.deactivate > 0 ? 'danger' : 'primary'
  return html`<div class="card"><p>${told}</p>${hint}
${counts.error > 0 && html`<p>${t`Rows with errors are left out.`}</p>`}
${form(call, { action: 'apply', submit, tone, cancel: start })}</div>`
}
