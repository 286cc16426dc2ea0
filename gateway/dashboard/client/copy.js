// @ts-check
// Buttons that copy the text of another element. Hidden without this script.
import { t } from './translate.js'

const TOLD_MS = 2_000

for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.getElementById(button.getAttribute('data-copy') ?? '')
  if (!source || !(button instanceof HTMLButtonElement)) continue
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    button.textContent = (await copy(source)) ? t`Copied` : t`Press Ctrl+C`
    setTimeout(() => {
      button.textContent = label
    }, TOLD_MS)
  })
}

/**
 * The clipboard is available only over TLS and on localhost. Otherwise the text is only selected.
 * @param {HTMLElement} source
 */
async function copy(source) {
  getSelection()?.selectAllChildren(source)
  try {
    await navigator.clipboard.writeText(source.textContent ?? '')
    return true
  } catch {
    return false
  }
}
