// People as tables and lists mark them.
import { type Content, html } from '../../http/html.ts'
import { t } from '../language/translate.ts'

/** Beside the name of somebody who may no longer book. */
export function showInactive({ isActive }: { isActive: boolean }): Content {
  return !isActive && html` <span class="badge warn">${t`deactivated`}</span>`
}
