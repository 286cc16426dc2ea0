// The import of desks, rooms and parking spots into a location: the description of the list, and a csv
// template with the list's columns and a row for each kind, in the visitor's language.
import { findBookableColumns } from '../../../../shared/bookables/bookable-columns.ts'
import { BOOKABLES_PER_WRITE_MAX } from '../../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import type { Language } from '../../../../shared/messages/languages.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { createAttachmentHeaders, EXPORT_CONTENT_TYPES } from '../../../server/http/export-answer.ts'
import type { Context } from '../../../server/services/context.ts'
import { formatBytes } from '../../../server/uploads/stored-files.ts'
import { currentLanguage, plural, sentence, t, tHtml } from '../../locales/translate.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import type { Call } from '../../pages/page/page.ts'
import { createSessionEndedFailure, identifyViewer } from '../../pages/page/viewers.ts'
import { formatBookableType, showBookableStatus } from '../../pages/ui/bookables.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import type { ImportList } from '../imports/import-list.ts'
import { formatValue } from '../imports/plan-sections.ts'
import { defineReviewPage } from '../imports/review-import.ts'
import { defineStartPage, showColumnName } from '../imports/start-import.ts'
import { createLocationBreadcrumbs, findLocation, missingLocation } from '../places/location-pages.ts'

export const IMPORT_TEMPLATE_PATH = '/places/import-template.csv'

const bookableImportList: ImportList<InputOf<'bookables.plan-import'>> = {
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
    fields: showImportFields,
  },
  reviewPath: '/places/imports/',
  startPath: ({ location_id: id }) => `/places/locations/${id}/import`,
  async findAbove(call, { location_id = 0 }) {
    const location = await findLocation(call.reads, location_id)
    // Leaves out the name of the dashboard section, because every import page shows it.
    return location && createLocationBreadcrumbs(location).slice(1)
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
    stale: sentence`The data has changed since your review, so the import would now have a different result. Please review it again.`,
  },
  showNext: (call, { location_id: id }) =>
    showLink(call.link(`/places/locations/${id}`), t`View desks, rooms and parking`, {
      class: 'button primary',
    }),
  columnsOf: findBookableColumns,
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

export const startBookableImport = defineStartPage(bookableImportList)
export const reviewBookableImport = defineReviewPage(bookableImportList)

const showColumn = showColumnName

function showImportFields(fields: Fields, call: Call): Html {
  const bytesMax = formatBytes(call.services.config.fileBytesMax)
  const template = showLinkOrText(call.link(IMPORT_TEMPLATE_PATH), t`the template`, { download: true })
  return html`${fields.file('file', t`Import file`, { required: true, accept: '.csv,.txt,.ods,.xls,.xlsx', hint: t`A csv, txt, ods, xls or xlsx file of up to ${formatNumber(BOOKABLES_PER_WRITE_MAX)} rows and ${bytesMax}.` })}
<p>${tHtml`Start with ${template}. Each row is a desk, a room or a parking spot, and the first row contains the column names:`}</p>
<ul>
<li>${tHtml`${showColumn('name')} is required. A row whose name already exists here changes that place, and every other row adds one.`}</li>
<li>${tHtml`${showColumn('type')}: desk, parking spot, meeting room or home office. The default is desk.`}</li>
<li>${tHtml`${showColumn('tags')}, separated by commas or semicolons, and ${showColumn('description')}.`}</li>
<li>${tHtml`${showColumn('status')}: free or blocked.`}</li>
<li>${tHtml`${showColumn('capacity')}: the number of seats in a room.`}</li>
<li>${tHtml`${showColumn('requires_vehicle')}: yes if bookings require a license plate.`}</li>
<li>${tHtml`${showColumn('x')} and ${showColumn('y')}: the position on the floor plan, in percent from its left and from its top.`}</li>
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

// The delimiter that a spreadsheet program expects, by language.
const CSV_DELIMITERS: Record<Language, string> = { en: ',', de: ';' }

const TEMPLATE_ROWS: Record<Language, string[][]> = {
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

export function createImportTemplate(language: Language): string {
  const lines = TEMPLATE_ROWS[language].map((cells) => `${cells.join(CSV_DELIMITERS[language])}\r\n`)
  // The byte order mark tells spreadsheets that the file is UTF-8.
  return `\ufeff${lines.join('')}`
}

export async function sendImportTemplate(ctx: Context, dashboard: SiteContext): Promise<void> {
  const viewer = await identifyViewer(ctx, dashboard)
  if (!viewer.admin) throw createSessionEndedFailure()
  ctx.set('Cache-Control', 'no-store')
  ctx.set(createAttachmentHeaders('template.csv'))
  ctx.type = EXPORT_CONTENT_TYPES.csv
  ctx.body = createImportTemplate(currentLanguage())
}
