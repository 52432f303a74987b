import { pick, type Random } from '../../base/random.ts';
import type { StoredOrderItem, StoredReview } from '../state/records.ts';

/*
 * Products and review texts of Korean shops, composed of parts, with enough variety to try lists, filters, column
 * widths and statistics.
 */

type Words = readonly [string, ...string[]];

const adjectives: Words = [
  '오버핏',
  '클래식',
  '데일리',
  '프리미엄',
  '저자극',
  '빈티지',
  '라이트',
  '사계절',
  '순면',
  '휴대용',
];
const goods: readonly [Good, ...Good[]] = [
  { name: '린넨 셔츠', category: 'clothing' },
  { name: '와이드 데님 팬츠', category: 'clothing' },
  { name: '캐시미어 니트', category: 'clothing' },
  { name: '수분 크림 50ml', category: 'beauty' },
  { name: '비타민C 앰플', category: 'beauty' },
  { name: '선스틱 SPF50+', category: 'beauty' },
  { name: '드립백 커피 30개입', category: 'food' },
  { name: '유기농 그래놀라', category: 'food' },
  { name: '스테인리스 텀블러', category: 'living' },
  { name: '호텔 수건 세트', category: 'living' },
  { name: '무선 청소기', category: 'living' },
  { name: '강아지 방석', category: 'living' },
];
const colours: Words = ['아이보리', '차콜', '네이비', '올리브', '더스티 핑크', '블랙'];
const sizes: Words = ['S', 'M', 'L', 'XL', 'FREE'];
const familyNames: Words = ['김', '이', '박', '최', '정', '강', '조', '윤', '장', '임', '한', '오'];
const givenNames: Words = [
  '민서',
  '서준',
  '지우',
  '하은',
  '도윤',
  '수아',
  '은호',
  '예린',
  '현우',
  '채원',
  '태윤',
  '소율',
];

interface Good {
  readonly name: string;
  readonly category: keyof typeof categoryNames;
}

/** Names of the categories of seeded products, by originId. */
export const categoryNames = { clothing: '의류', beauty: '뷰티', food: '식품', living: '리빙' } as const;

export const brandNames: Words = ['무명상점', '하루온', '담백', '결', 'ROOM 204'];

export function productName(random: Random): Good {
  const good = pick(random, goods);
  return { ...good, name: `${pick(random, adjectives)} ${good.name}` };
}

export function selectedOptions(random: Random): StoredOrderItem['selectedOptions'] {
  return [
    { name: '색상', value: pick(random, colours) },
    { name: '사이즈', value: pick(random, sizes) },
  ];
}

export function personName(random: Random): string {
  return pick(random, familyNames) + pick(random, givenNames);
}

export function phoneNumber(random: Random): string {
  const digits = () => String(Math.floor(random() * 10_000)).padStart(4, '0');
  return ['010', digits(), digits()].join('-');
}

/** A name as reviews show it: `김*수`. */
function maskedName(random: Random): string {
  return `${pick(random, familyNames)}*${pick(random, givenNames).slice(-1)}`;
}

interface Tone {
  readonly titles: Words;
  readonly openings: Words;
  readonly details: Words;
  readonly closings: Words;
}

const pleased: Tone = {
  titles: ['대만족입니다', '재구매 확정!', '잘 샀어요', '선물했더니 좋아하네요', '기대 이상이에요'],
  openings: [
    '배송이 정말 빨라요!',
    '고민하다 주문했는데 잘한 것 같아요.',
    '벌써 세 번째 구매입니다.',
    '사진이랑 똑같은 상품이 왔어요.',
    '친구 추천으로 사봤는데 만족합니다 ㅎㅎ',
    '가격 대비 품질이 훌륭합니다.',
  ],
  details: [
    '마감이 꼼꼼하고 색감이 화면보다 더 예뻐요.',
    '포장도 꼼꼼해서 선물용으로도 손색이 없습니다.',
    '가볍고 편해서 매일 쓰고 있어요.',
    '사이즈는 평소 입는 대로 주문했더니 딱 맞아요.',
    '향이 은은하고 자극이 없어서 좋았습니다.',
    '온 가족이 같이 쓰는데 다들 좋아하네요 😊',
    '세탁을 두 번 했는데도 변형이 없습니다.',
  ],
  closings: ['추천합니다!', '다음에 또 구매할게요.', '번창하세요~', '강추!! 👍', '감사합니다.'],
};

const undecided: Tone = {
  titles: ['무난해요', '보통입니다', '가격만큼 하네요', '그럭저럭'],
  openings: ['나쁘지 않아요.', '무난하게 쓰기 좋습니다.', '기대가 컸나 봐요.', '배송은 보통이었어요.'],
  details: [
    '색상이 사진보다 조금 어둡게 느껴집니다.',
    '생각보다 얇아서 한여름에나 쓸 것 같아요.',
    '품질은 괜찮은데 포장이 조금 아쉬웠습니다.',
    '사이즈가 약간 크게 나온 편이니 참고하세요.',
  ],
  closings: ['그래도 쓸 만합니다.', '할인할 때 사면 좋을 듯해요.', '재구매는 고민해 볼게요.'],
};

const displeased: Tone = {
  titles: ['실망했어요', '교환 신청합니다', '다시는 안 사요', '아쉽습니다'],
  openings: [
    '솔직히 실망입니다.',
    '배송이 일주일이나 걸렸어요.',
    '상품이 불량으로 왔습니다.',
    '설명과 너무 달라요.',
  ],
  details: [
    '실밥이 다 풀려 있고 얼룩도 있네요.',
    '냄새가 심해서 며칠을 환기시켰습니다.',
    '고객센터에 문의했지만 답변이 없어요.',
    '한 번 썼는데 바로 고장 났습니다.',
  ],
  closings: ['환불 부탁드립니다.', '개선이 필요해 보여요.', '비추천입니다.'],
};

const answersByQuestion = {
  '사이즈는 어떤가요?': ['정사이즈예요', '조금 커요', '조금 작아요'],
  '색상은 화면과 비슷한가요?': ['똑같아요', '조금 어두워요', '조금 밝아요'],
  '배송은 만족스러웠나요?': ['아주 빨라요', '보통이에요', '느려요'],
} as const;

/** The fields of a review that the consumer writes. */
export type ReviewDraft = Pick<
  StoredReview,
  'userNickname' | 'title' | 'text' | 'rating' | 'uploadFrom' | 'videos' | 'images' | 'questionAnswers'
>;

/** A random review: mostly positive, mostly short, a third of the time with images. */
export function draftReview(random: Random): ReviewDraft {
  const rating = pick(random, [5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 3, 2, 1]);
  const tone = toneOf(rating);
  const details = Array.from({ length: Math.floor(random() ** 2 * 5) }, () => pick(random, tone.details));
  const closing = random() < 0.6 ? [pick(random, tone.closings)] : [];
  return {
    userNickname: maskedName(random),
    title: random() < 0.5 ? pick(random, tone.titles) : null,
    text: [pick(random, tone.openings), ...new Set(details), ...closing].join(random() < 0.15 ? '\n' : ' '),
    rating,
    uploadFrom: random() < 0.4 ? 'CHATBOT' : 'WEB',
    images: random() < 0.3 ? media(random, 'image', 1 + Math.floor(random() * 4)) : [],
    videos: random() < 0.06 ? media(random, 'video', 1) : [],
    questionAnswers: Object.entries(answersByQuestion)
      .filter(() => random() < 0.3)
      .map(([question, answers]) => ({ question, answer: pick(random, answers) })),
  };
}

function toneOf(rating: number): Tone {
  if (rating >= 4) return pleased;
  return rating === 3 ? undecided : displeased;
}

/** Images or videos with URLs that do not exist. */
export function media(random: Random, kind: 'image' | 'video', count: number): StoredReview['images'] {
  return Array.from({ length: count }, () => {
    const name = Math.floor(random() * 2 ** 32).toString(36);
    const address = `https://media.example/${kind}/${name}`;
    return { thumbnail: `${address}-thumbnail.jpg`, large: `${address}.${kind === 'image' ? 'jpg' : 'mp4'}` };
  });
}
