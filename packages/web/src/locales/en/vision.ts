export const vision = {
  cardOf: '{{name}} asks for an image',
  asks: '{{name}} wants to see something',
  whatHappens:
    'A model describes the image. The description goes to the agent and into its memory; the image is not stored. You can also paste one here.',
  shareScreen: 'Share a screenshot',
  choose: 'Choose a picture',
  send: 'Send',
  sending: 'Being described…',
  decline: 'Decline',
  chosen: 'Chosen image {{number}}',
  remove: 'Remove image {{number}}',
  notSent: 'The image could not be sent',
  fault: {
    type: 'Only PNG, JPEG and WebP can be sent.',
    size: 'An image may have at most 5 MB.',
    count: 'At most five images can be sent.',
    screen: 'The screen could not be shown here. Choose a picture instead.',
  },
} as const;
