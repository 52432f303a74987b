import { hint, reviewctl } from '../../../base/hint.ts';
import { documentColumns } from '../../../contract/document-columns.ts';
import { resources } from '../../../contract/resources.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { amount, number, text, type View, word } from '../../../output/views/view.ts';
import { defaultFlag, integerValue, textValue, valueFlag } from '../../flags/flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { controlRecords, controlRequest } from './control-request.ts';

/** A review and the reward it earned, side by side. */
const view: View = {
  noun: 'review',
  id: 'review.id',
  csvColumns: [
    ...documentColumns(resources.Review).map((path) => `review.${path}`),
    ...documentColumns(resources.Reward).map((path) => `reward.${path}`),
  ],
  columns: [
    word('review', 'review.id'),
    number('rating', 'review.rating'),
    text('text', 'review.text', { width: 20 }),
    word('order item', 'review.orderItem.originId'),
    word('reward', 'reward.id'),
    amount('amount', 'reward.amount'),
  ],
};

export const command = defineCommand({
  flags: {
    count: defaultFlag(integerValue(1, 1000), 1, 'N', 'how many reviews (default 1)'),
    orderItem: valueFlag(textValue, 'ORIGIN_ID', 'the reviewed item (default: any without a review)'),
    rating: valueFlag(integerValue(1, 5), '1-5', 'the rating'),
    title: valueFlag(textValue, 'TEXT', 'the title'),
    text: valueFlag(textValue, 'TEXT', 'text of the review'),
    nickname: valueFlag(textValue, 'NAME', 'nickname of the reviewer'),
    images: valueFlag(integerValue(0, 10), 'N', 'number of pictures'),
    videos: valueFlag(integerValue(0, 10), 'N', 'number of videos'),
    ...outputFlags,
    ...connectionFlags,
  },
  examples: [
    'reviewctl sandbox write-review',
    "reviewctl sandbox write-review --order-item 536365-1 --rating 5 --text '정말 좋아요' --images 2",
  ],
  exitCodes: [4, 5, 6],
  run: async (invocation) => {
    const service = await useService(invocation);
    const { flags, notices } = invocation;
    const { count, orderItem, rating, title, nickname, images, videos } = flags;
    const wish = {
      count,
      orderItemOriginId: orderItem,
      rating,
      title,
      text: flags.text,
      userNickname: nickname,
      images,
      videos,
    };
    const written = await controlRequest(service, 'writeReviews', controlRecords, wish);
    await printRecords(invocation, view, written);
    if (written.length >= count) return 0;
    notices.warning(
      `${counted(written.length, 'review')} written of ${count}: each order item has one review at most`,
      hint`push more orders: ${reviewctl`orders push FILE`}`,
    );
    return 6;
  },
});
