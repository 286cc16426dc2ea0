// The progress of a release of many bookings, of deactivated users or of places. The release goes on whether
// or not anybody watches.
import type pg from 'pg'
import type { RefusedOutcome } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathUuid } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { plural, sentence, t, tHtml } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { describeFailure } from '../ui/failure-page.ts'
import { showLink } from '../ui/links.ts'
import { formatNumber } from '../ui/words.ts'

type Release = {
  id: string
  actorName: string
  createdAt: string
  isFinished: boolean
  progress: number
  released: number
  expected: number
  isOfPlaces: boolean
  /** Why the release stopped early. */
  failure: RefusedOutcome | null
}

const SELECT = `
  SELECT id, actor_name AS "actorName", created_at AS "createdAt", finished_at IS NOT NULL AS "isFinished", progress,
    coalesce(rows_read, 0) AS released, (envelope #>> '{input,expected}')::int AS expected,
    envelope #> '{input,taking}' IS NOT NULL AS "isOfPlaces",
    CASE WHEN state = 'failed' THEN outcome END AS failure
  FROM jobs WHERE name = 'bookings.release-all'`

const missing = message`This release does not exist, or it is more than seven days old.`

type ReleaseCall = Call<{ id: string }>

export const releaseProgress = page({
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
      breadcrumbs: release.isOfPlaces
        ? [[t`Places`, '/places']]
        : [
            [t`People`, '/people'],
            [t`Deactivated`, '/people/deactivated'],
          ],
      content: release.isFinished
        ? showResult(call, release)
        : html`<div class="card narrow">${await call.live('progress')}
<p class="soft">${t`You can leave this page and come back later.`} ${showLink(call.linkHere(), t`Refresh`)}</p></div>`,
    }
  },
})

/** Shows a running release as a line with a link to its progress. */
export async function showRunningRelease(call: Call): Promise<Html | false> {
  const { rows } = await call.services.primary.query<Release>(
    `${SELECT} AND finished_at IS NULL ORDER BY created_at LIMIT 1`,
  )
  const [running] = rows
  const address = running && call.link(`/people/releases/${running.id}`)
  return (
    address !== undefined &&
    mayOpen(address) &&
    html`<div class="notice" role="status"><p>${t`Bookings are being released.`} ${showLink(address, t`View progress`)}</p></div>`
  )
}

async function findRelease(primary: pg.Pool, id: string): Promise<Release | undefined> {
  const { rows } = await primary.query<Release>(`${SELECT} AND id = $1`, [id])
  return rows[0]
}

async function requireRelease(call: ReleaseCall): Promise<Release> {
  const { primary, reads } = call.services
  const release = await findRelease(primary, call.params.id)
  if (!release) throw new Refusal('not_found', missing)
  // A user who sees here that the release is done also sees its results in later reads.
  await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
  return release
}

function showRelease({ isFinished, progress, released, expected }: Release): Html {
  if (isFinished) return html`<p data-reload><strong>${t`Done.`}</strong></p>`
  return html`<p id="step"><strong>${t`${formatNumber(released)} of ${formatNumber(expected)} bookings released`}</strong></p>
<progress max="100" value="${progress}" aria-labelledby="step">${progress} %</progress>
<p class="soft">${t`Bookings already released stay released.`}</p>`
}

function showResult(call: Call, { released, failure, isOfPlaces }: Release): Html {
  const done =
    released === 0
      ? t`There was nothing to release.`
      : plural(released, '# booking released.', '# bookings released.')
  const failed =
    failure &&
    html`<div class="notice bad" role="alert"><p>${describeFailure(failure).join(' ')}</p>
<p>${isOfPlaces ? t`The others are still booked.` : t`The others can be released again.`}</p></div>`
  return html`${failed}<div class="notice ${failure ? '' : 'good'}" role="status"><p><strong>${done}</strong></p></div>
<div class="buttons">${
    isOfPlaces
      ? showLink(call.link('/places'), t`Places`, { class: 'button primary' })
      : showLink(call.link('/people/deactivated'), t`Bookings and desks of deactivated people`, {
          class: 'button primary',
        })
  }</div>`
}
