// Marks for people in tables and lists.
import { type Content, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'

/** Shown next to the name of a user who may no longer book. */
export function showInactive({ isActive }: { isActive: boolean }): Content {
  return !isActive && html` <span class="badge warn">${t`deactivated`}</span>`
}
