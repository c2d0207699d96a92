import { describe, expect, test } from 'vitest'
import { addressRefusal, hostRefusal } from './public-address.ts'

describe('addresses that are not public are refused', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'private'],
    ['169.254.169.254', 'link-local'],
    ['168.63.129.16', 'cloud metadata'],
    ['0.0.0.0', 'reserved'],
    ['192.0.0.192', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'not a public'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'not a public'],
    ['2606:4700::1%eth0', 'not a public'],
    ['ff02::1', 'multicast'],
    ['2001::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['3fff::1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['0:0:0:0:0:ffff:a9fe:a9fe', 'link-local'],
    ['::ffff:224.0.0.1', 'multicast'],
    ['::127.0.0.1', 'not a public'],
    ['::ffff:0:127.0.0.1', 'not a public'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['64:ff9b:1::1', 'not a public'],
    ['100::1', 'not a public'],
    ['127.1', 'not a public'],
    ['0x7f000001', 'not a public'],
    ['', 'not a public'],
  ])('%s: %s address', (address, reason) => {
    expect(addressRefusal(address)).toContain(reason)
  })
})

test.each([
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.128.0.1',
  '11.0.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('the public address %s is allowed', (address) => {
  expect(addressRefusal(address)).toBeUndefined()
})

describe('hosts of URLs', () => {
  test.each([
    'https://localhost/',
    'https://LOCALHOST./',
    'https://foo.localhost/',
    'https://kubernetes/',
    'https://kubernetes.default/',
    'https://kubernetes.default.svc/',
    'https://api.kube-system.svc.cluster.local/',
    'https://api.kube-system.svc.cluster.local./',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata.goog/',
    'https://metadata/',
    'https://router.home.arpa/',
    // Every way of writing 127.0.0.1 that browsers and C libraries know.
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７。０。０。１/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://0/',
    'https://10.1/',
    'https://0xa9fea9fe/',
  ])('%s is refused', (url) => {
    expect(hostRefusal(new URL(url).hostname)).toBeTypeOf('string')
  })

  test.each([
    'https://github.com/',
    'https://raw.githubusercontent.com./',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://svc.example.com/',
    'https://local.example/',
  ])('%s is allowed', (url) => {
    expect(hostRefusal(new URL(url).hostname)).toBeUndefined()
  })
})
