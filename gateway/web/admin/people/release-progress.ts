// The page with the progress of a release of many bookings, of deactivated users or of places. The release
// continues even if nobody opens the page.
import type { RefusedOutcome } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathUuid } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import {
  column,
  flagColumn,
  instantColumn,
  numberColumn,
  type RowOf,
  selectRow,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Breadcrumbs, type Call, definePage } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { describeFailure } from '../../pages/ui/failure-page.ts'
import { formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { findEntryWithAffected, linkToAffected } from '../affected-bookings/affected-people.ts'

const RELEASE_COLUMNS = {
  id: textColumn('id'),
  actorName: textColumn('actor_name'),
  createdAt: instantColumn('created_at'),
  isFinished: flagColumn('finished_at IS NOT NULL'),
  progress: numberColumn('progress'),
  released: numberColumn('coalesce(rows_read, 0)'),
  expected: numberColumn("(envelope #>> '{input,expected}')::int"),
  isOfPlaces: flagColumn("envelope #> '{input,taking}' IS NOT NULL"),
  /** The reason if the release stopped early. */
  failure: column<RefusedOutcome | null>("CASE WHEN state = 'failed' THEN outcome END"),
}
type Release = RowOf<typeof RELEASE_COLUMNS>

const RELEASES_FROM = "jobs WHERE name = 'bookings.release-all'"

const missing = message`This release does not exist, or it is more than seven days old.`

export const createDeactivatedBreadcrumbs = (): Breadcrumbs => [
  [t`People`, '/people'],
  [t`Deactivated`, '/people/deactivated'],
]

export const releaseProgressPage = definePage({
  path: '/people/releases/{id}',
  title: sentence`Release bookings`,
  section: 'People',
  params: object({ id: pathUuid() }),
  missing,
  live: { progress: { everySeconds: 1, show: async (call) => showRelease(await requireRelease(call)) } },
  async show(call) {
    const release = await requireRelease(call)
    return {
      lead: tHtml`Started by ${release.actorName} ${showRelativeInstant(release.createdAt, call.now)}.`,
      breadcrumbs: release.isOfPlaces ? [[t`Places`, '/places']] : createDeactivatedBreadcrumbs(),
      content: release.isFinished
        ? showResult(call, release, await findAffectedLink(call, release))
        : html`<div class="card narrow">${await call.live('progress')}
<p class="soft">${t`You can leave this page and come back later.`} ${showLink(call.linkHere(), t`Refresh`)}</p></div>`,
    }
  },
})

export async function showRunningRelease(call: Call): Promise<Html | false> {
  const found = `${RELEASES_FROM} AND finished_at IS NULL ORDER BY created_at LIMIT 1`
  const running = await selectRow(call.services.primary, RELEASE_COLUMNS, found)
  const address = running && call.link(`/people/releases/${running.id}`)
  return (
    address !== undefined &&
    canOpen(address) &&
    showNotice('neutral', html`${t`Bookings are being released.`} ${showLink(address, t`View progress`)}`)
  )
}

async function requireRelease(call: Call<{ id: string }>): Promise<Release> {
  const { primary, reads } = call.services
  const release = await selectRow(primary, RELEASE_COLUMNS, `${RELEASES_FROM} AND id = $1`, [call.params.id])
  if (!release) throw new Refusal('not_found', missing)
  // Once this page has shown that the release is done, other pages must show the release's results too.
  await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
  return release
}

function showRelease({ isFinished, progress, released, expected }: Release): Html {
  if (isFinished) return html`<p data-reload><strong>${t`Done.`}</strong></p>`
  return html`<p id="step"><strong>${t`${formatNumber(released)} of ${formatNumber(expected)} bookings released`}</strong></p>
<progress max="100" value="${progress}" aria-labelledby="step">${progress} %</progress>
<p class="soft">${t`Bookings already released stay released.`}</p>`
}

/** Links to the people to notify after a release of places. Deactivated people need not be notified. */
async function findAffectedLink(call: Call, { id, isOfPlaces }: Release) {
  if (!isOfPlaces) return false
  // The job and its attempt have the same id.
  const entry = await findEntryWithAffected(call.reads, id)
  if (entry === null) return false
  const { path, label } = linkToAffected(entry)
  return showLink(call.link(path), label, { class: 'button' })
}

function showResult(call: Call, { released, failure, isOfPlaces }: Release, toTell: Content): Html {
  const done =
    released === 0
      ? t`There were no bookings to release.`
      : plural(released, '# booking released.', '# bookings released.')
  const failed =
    failure &&
    showNotice(
      'bad',
      describeFailure(failure).join(' '),
      html`<p>${isOfPlaces ? t`The other bookings remain.` : t`You can release the other bookings again.`}</p>`,
    )
  const [path, label] = isOfPlaces
    ? ['/places', t`Places`]
    : ['/people/deactivated', t`Bookings and desks of deactivated people`]
  return html`${failed}${showNotice(failure || released === 0 ? 'neutral' : 'good', html`<strong>${done}</strong>`)}
<div class="buttons">${showLink(call.link(path), label, { class: 'button primary' })}
${toTell}</div>`
}
