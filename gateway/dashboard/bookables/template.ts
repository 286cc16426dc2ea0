// A csv template for a list of desks, rooms and parking: its columns and a row of each kind, in the
// visitor's language.

import type { Language } from '../../../shared/messages/languages.ts'
import { attachment, EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import type { Context } from '../../services/context.ts'
import type { DashboardContext } from '../kit/context.ts'
import { DASHBOARD } from '../kit/sessions/addresses.ts'
import { identify, sessionEnded } from '../kit/viewers.ts'
import { currentLanguage } from '../locales/translate.ts'

const PATH = '/places/import-template.csv'
export const TEMPLATE_PATH = `${DASHBOARD}${PATH}`

/** The address as `call.link` takes it. */
export const TEMPLATE_LINK = PATH

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

export async function sendTemplate(ctx: Context, dashboard: DashboardContext): Promise<void> {
  const viewer = await identify(ctx, dashboard)
  if (!viewer.admin) throw sessionEnded()
  ctx.set('Cache-Control', 'no-store')
  ctx.set(attachment('template.csv'))
  ctx.type = EXPORT_CONTENT_TYPES.csv
  ctx.body = templateOf(currentLanguage())
}
