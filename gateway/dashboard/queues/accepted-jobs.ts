// Accepted imports, exports and releases that have not ended. They are in Postgres, so they survive the loss of
// Redis.
import type pg from 'pg'
import { type Content, type Html, html } from '../../http/html.ts'
import { sentences, t, translate, wordsOf } from '../locales/translate.ts'
import { column, instant, number, type RowOf, selectRows, text } from '../search/rows.ts'
import { showInstant } from '../time/instants.ts'
import { type Column, table } from '../ui/parts.ts'

const JOB = {
  id: text('id'),
  name: text('name'),
  state: column<'queued' | 'running'>('state'),
  progress: number('progress'),
  createdAt: instant('created_at'),
}
type AcceptedJob = RowOf<typeof JOB>

sentences`queued, running`

const LISTED_MAX = 20

export const listAcceptedJobs = (reads: pg.Pool): Promise<AcceptedJob[]> =>
  selectRows(reads, JOB, `jobs WHERE finished_at IS NULL ORDER BY created_at LIMIT ${LISTED_MAX}`)

export function showAcceptedJobs(jobs: AcceptedJob[], zone: string, empty: Content): Html {
  const columns: Column<AcceptedJob>[] = [
    { label: t`Job`, isHead: true, show: formatJob },
    {
      label: t`Status`,
      show: ({ state }) =>
        html`<span class="badge ${state === 'running' ? 'accent' : ''}">${translate(wordsOf(state))}</span>`,
    },
    {
      label: t`Progress`,
      show: ({ progress }) =>
        html`<progress max="100" value="${progress}" aria-label="${t`Progress`}">${progress} %</progress> ${progress} %`,
    },
    { label: t`Accepted`, show: ({ createdAt }) => showInstant(createdAt, zone) },
    { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
  ]
  return table(t`In progress`, columns, jobs, empty)
}

function formatJob({ name }: AcceptedJob): string {
  if (name === 'bookings.release-all') return t`Release of bookings`
  if (!name.includes('import')) return t`Export of people`
  return name.startsWith('bookables.') ? t`Import of desks, rooms and parking` : t`Import of people`
}
