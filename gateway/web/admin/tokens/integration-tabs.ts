// The tabs of Integrations: the API, its tokens, and webhooks.
import type { Html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showPageTabs } from '../../pages/ui/tabs.ts'

const INTEGRATION_TABS: Array<[path: string, label: Sentence]> = [
  ['/integrations', sentence`API`],
  ['/integrations/tokens', sentence`Tokens`],
  ['/integrations/webhooks', sentence`Webhooks`],
]

export function showIntegrationTabs(call: Call, current: string): Html {
  const items = INTEGRATION_TABS.map(([path, label]) => ({
    label: translate(label),
    address: call.link(path),
    isCurrent: path === current,
  }))
  return showPageTabs(t`Integrations`, items)
}
