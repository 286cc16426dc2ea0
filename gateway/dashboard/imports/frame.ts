// The common parts of the pages of an import, for every kind of list: who may apply it, its progress, why it
// failed, and the texts before and after.
import type { ImportCounts } from '../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { PageFailure } from '../kit/sessions/failure.ts'
import { t } from '../locales/translate.ts'
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

/** Only the administrator who uploaded the file may apply the import or review it again. */
export function requireOwn(call: Call, row: AnyImport): void {
  if (!isOwn(call, row)) throw new PageFailure(403, t`Not yours`, describeOwner(row))
  // Applying deletes the file; a form that is sent again then leads to the result.
  if (row.hasFile || row.appliedBy !== null) return
  throw new PageFailure(
    409,
    t`Expired`,
    t`This import has expired: it was already applied, or its file was uploaded more than 24 hours ago. Upload the file again.`,
  )
}

/** For a page whose live part `progress` is `describeProgress`. */
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

/** `isKept`: the plan is still stored. */
type Kept = { start: string; review: string; isKept: boolean }

/** Undefined if the import can be applied. */
export function showWhyNot(call: Call, row: AnyImport, { start, review, isKept }: Kept): Html | undefined {
  if (row.appliedBy !== null)
    return html`<div class="notice good"><p>${t`This import has already been submitted.`} ${showLink(call.link(`${review}${row.appliedBy}`), t`View the result`)}</p></div>`
  if (!row.hasFile || !isKept)
    return html`<div class="notice warn"><p>${t`This import has expired.`} ${showLink(start, t`Upload the file again`)}</p></div>`
  if (!isOwn(call, row)) return html`<div class="notice warn"><p>${describeOwner(row)}</p></div>`
  return undefined
}

/** `told`: the sentence with the number of rows of each kind. */
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
