// Buttons that copy the text of another element or print the page. Without this script, the buttons are
// hidden.
import { t } from './shared/translate.ts'

const COPIED_SHOWN_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '')
  if (!source) continue
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    getSelection()?.selectAllChildren(source)
    button.textContent = (await copyText(source.textContent)) ? t`Copied` : t`Press Ctrl+C`
    setTimeout(() => {
      button.textContent = label
    }, COPIED_SHOWN_MS)
  })
}

/** Copies text. The clipboard is available only over TLS and on localhost. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
