// The import of desks, rooms and parking into a location: the description of their list, and a csv template with
// its columns and a row of each kind, in the visitor's language.
import { bookableColumns } from '../../../../shared/bookables/bookable-columns.ts'
import { MANY_MAX } from '../../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import type { Language } from '../../../../shared/messages/languages.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { attachment, EXPORT_CONTENT_TYPES } from '../../../server/http/export-answer.ts'
import type { Context } from '../../../server/services/context.ts'
import { formatBytes } from '../../../server/uploads/stored-files.ts'
import { currentLanguage, plural, sentence, t, tHtml } from '../../locales/translate.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import type { Call } from '../../pages/page/page.ts'
import { identify, sessionEnded } from '../../pages/page/viewers.ts'
import { formatBookableType, showBookableStatus } from '../../pages/ui/bookables.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import type { ImportList } from '../imports/import-list.ts'
import { formatValue } from '../imports/plan-sections.ts'
import { reviewImport } from '../imports/review-import.ts'
import { showColumnName, startImport } from '../imports/start-import.ts'
import { findLocation, locationBreadcrumbs, missingLocation } from '../places/location-pages.ts'

export const TEMPLATE_PATH = '/places/import-template.csv'

const bookables: ImportList<InputOf<'bookables.plan-import'>> = {
  section: 'Places',
  jobs: {
    plan: 'bookables.plan-import',
    apply: 'bookables.apply-import-plan',
    errors: 'bookables.export-refused',
  },
  start: {
    title: sentence`Import desks, rooms or parking`,
    path: '/places/locations/{id}/import',
    params: object({ id: pathId() }),
    missing: missingLocation,
    scopeOf: ({ id }) => ({ location_id: id }),
    form: object({}),
    fields: importFields,
  },
  reviewPath: '/places/imports/',
  startPath: ({ location_id: id }) => `/places/locations/${id}/import`,
  async findAbove(call, { location_id = 0 }) {
    const location = await findLocation(call.reads, location_id)
    // Without the section, which every import names.
    return location && locationBreadcrumbs(location).slice(1)
  },
  sections: ['create', 'change', 'error', 'skip'],
  nothingNew: sentence`Nothing new.`,
  words: {
    lead({ actorName }, started, above) {
      const location = above?.at(-1)?.[0]
      return location === undefined
        ? tHtml`Started by ${actorName} ${started}.`
        : tHtml`Import into ${location}, started by ${actorName} ${started}.`
    },
    counts: describeCounts,
    stale: sentence`Something here has changed since your review, so the import would now do something else. Please review it again.`,
  },
  showNext: (call, { location_id: id }) =>
    showLink(call.link(`/places/locations/${id}`), t`View desks, rooms and parking`, {
      class: 'button primary',
    }),
  columnsOf: bookableColumns,
  pathOf: ({ bookableId }) => (bookableId === null ? undefined : `/places/bookables/${bookableId}`),
  fields: {
    names: {
      name: sentence`Name`,
      type: sentence`Type`,
      description: sentence`Description`,
      tags: sentence`Tags`,
      status: sentence`Status`,
      capacity: sentence`Capacity`,
      requires_vehicle: sentence`Bookings require a vehicle`,
      position: sentence`Position`,
    },
    show: showField,
    errorsNameFields: true,
  },
}

export const startBookableImport = startImport(bookables)
export const reviewBookableImport = reviewImport(bookables)

const column = showColumnName

function importFields(fields: Fields, call: Call): Html {
  const bytesMax = formatBytes(call.services.config.fileBytesMax)
  const template = showLinkOrText(call.link(TEMPLATE_PATH), t`the template`, { download: true })
  return html`${fields.file('file', t`Import file`, { required: true, accept: '.csv,.txt,.ods,.xls,.xlsx', hint: t`A csv, txt, ods, xls or xlsx file of up to ${formatNumber(MANY_MAX)} rows and ${bytesMax}.` })}
<p>${tHtml`Begin with ${template}: each row is a desk, a room or a parking spot. Its first row has the names of the columns:`}</p>
<ul>
<li>${tHtml`${column('name')} is required. A row whose name already exists here changes that place, and every other row adds one.`}</li>
<li>${tHtml`${column('type')}: desk, parking spot, meeting room or home office. Without one, it is a desk.`}</li>
<li>${tHtml`${column('tags')}, separated by commas or semicolons, and ${column('description')}.`}</li>
<li>${tHtml`${column('status')}: free or blocked.`}</li>
<li>${tHtml`${column('capacity')}: the number of seats in a room.`}</li>
<li>${tHtml`${column('requires_vehicle')}: yes, where bookings need the license plate of a vehicle.`}</li>
<li>${tHtml`${column('x')} and ${column('y')}: the position on the floor plan, in percent from its left and from its top.`}</li>
</ul>
<p class="soft">${t`Empty cells and missing columns leave everything as it is. Nothing is deleted.`}</p>`
}

function describeCounts(counts: ImportCounts, isDone: boolean): string {
  const { create, change, skip, error } = counts
  const sentences = [
    [create, !isDone && plural(create, '# row will be added.', '# rows will be added.')],
    [create, isDone && plural(create, '# row was added.', '# rows were added.')],
    [change, !isDone && plural(change, '# row will be changed.', '# rows will be changed.')],
    [change, isDone && plural(change, '# row was changed.', '# rows were changed.')],
    [skip, plural(skip, '# row has no changes.', '# rows have no changes.')],
    [error, plural(error, '# row has errors.', '# rows have errors.')],
  ] as const
  return sentences.flatMap(([count, sentence]) => (count > 0 && sentence ? [sentence] : [])).join(' ')
}

function showField(field: string, value: unknown): Content {
  if (field === 'type' && typeof value === 'number') return formatBookableType(value)
  if (field === 'status' && typeof value === 'number') return showBookableStatus(value)
  if (field === 'position' && Array.isArray(value)) return value.map(formatPercent).join(', ')
  return typeof value === 'number' ? formatNumber(value) : formatValue(value)
}

const formatPercent = (share: unknown): string =>
  `${formatNumber(Math.round(Number(share) * 10_000) / 100)} %`

// The delimiter that a spreadsheet in this language expects.
const DELIMITERS: Record<Language, string> = { en: ',', de: ';' }

const ROWS: Record<Language, string[][]> = {
  en: [
    ['name', 'type', 'tags', 'description', 'status', 'capacity', 'x', 'y'],
    ['Desk 1', 'desk', 'window; standing desk', '', 'free', '', '10', '20'],
    ['P-001', 'parking spot', 'charger', '', 'free', '', '', ''],
    ['Harbour room', 'meeting room', 'screen', 'Behind the kitchen', 'blocked', '8', '', ''],
  ],
  de: [
    ['Bezeichnung', 'Art', 'Ausstattung', 'Beschreibung', 'Status', 'Plätze', 'x', 'y'],
    ['Tisch 1', 'Tisch', 'Fenster, höhenverstellbar', '', 'frei', '', '10', '20'],
    ['P-001', 'Parkplatz', 'Ladesäule', '', 'frei', '', '', ''],
    ['Raum Hafen', 'Besprechungsraum', 'Bildschirm', 'Hinter der Küche', 'gesperrt', '8', '', ''],
  ],
}

export function templateOf(language: Language): string {
  const lines = ROWS[language].map((cells) => `${cells.join(DELIMITERS[language])}\r\n`)
  // The byte order mark tells spreadsheets that the file is UTF-8.
  return `\ufeff${lines.join('')}`
}

export async function sendTemplate(ctx: Context, dashboard: SiteContext): Promise<void> {
  const viewer = await identify(ctx, dashboard)
  if (!viewer.admin) throw sessionEnded()
  ctx.set('Cache-Control', 'no-store')
  ctx.set(attachment('template.csv'))
  ctx.type = EXPORT_CONTENT_TYPES.csv
  ctx.body = templateOf(currentLanguage())
}
