// Tests which URLs a webhook may have, without looking up the host.
import { expect } from 'chai'
import { requirePublicUrl } from '../../../shared/webhooks/webhook-urls.ts'

describe('the URL of a webhook', () => {
  const isRefused = (url: string, ...webhookAllowPrivate: string[]) => {
    try {
      return requirePublicUrl({ url }, { webhookAllowPrivate }).url !== url
    } catch (error) {
      expect(error).to.have.nested.property('code', 'validation_failed')
      return true
    }
  }

  for (const host of [
    'localhost',
    'LOCALHOST.',
    'app.localhost',
    '127.0.0.1',
    '[::1]',
    '0x7f.1',
    '192.168.1.1',
  ])
    it(`is refused if its host is ${host}`, () => {
      expect(isRefused(`http://${host}:8080/berth`)).to.equal(true)
    })

  for (const url of ['http://localhost/', 'http://app.localhost/', 'https://127.0.0.1/'])
    it(`may be ${url} if WEBHOOK_ALLOW_PRIVATE names 127.0.0.1`, () => {
      expect(isRefused(url, '127.0.0.0/8')).to.equal(false)
    })

  for (const url of ['https://8.8.8.8/', 'https://receiver.example/', 'https://localhost.example/'])
    it(`may be ${url}`, () => {
      expect(isRefused(url)).to.equal(false)
    })
})
