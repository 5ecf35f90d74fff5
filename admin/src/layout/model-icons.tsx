import Bank from '@mui/icons-material/AccountBalanceOutlined';
import Wallet from '@mui/icons-material/AccountBalanceWalletOutlined';
import Building from '@mui/icons-material/ApartmentOutlined';
import Archive from '@mui/icons-material/ArchiveOutlined';
import Article from '@mui/icons-material/ArticleOutlined';
import Badge from '@mui/icons-material/BadgeOutlined';
import Chart from '@mui/icons-material/BarChartOutlined';
import Bug from '@mui/icons-material/BugReportOutlined';
import Tool from '@mui/icons-material/BuildOutlined';
import Calendar from '@mui/icons-material/CalendarMonthOutlined';
import Gift from '@mui/icons-material/CardGiftcardOutlined';
import Check from '@mui/icons-material/CheckCircleOutlined';
import Cloud from '@mui/icons-material/CloudOutlined';
import Code from '@mui/icons-material/CodeOutlined';
import Ticket from '@mui/icons-material/ConfirmationNumberOutlined';
import Document from '@mui/icons-material/DescriptionOutlined';
import Heart from '@mui/icons-material/FavoriteBorderOutlined';
import Flag from '@mui/icons-material/FlagOutlined';
import Folder from '@mui/icons-material/FolderOutlined';
import ListIcon from '@mui/icons-material/FormatListBulletedOutlined';
import Chat from '@mui/icons-material/ForumOutlined';
import People from '@mui/icons-material/GroupOutlined';
import Home from '@mui/icons-material/HomeOutlined';
import Image from '@mui/icons-material/ImageOutlined';
import Box from '@mui/icons-material/Inventory2Outlined';
import Key from '@mui/icons-material/KeyOutlined';
import Layers from '@mui/icons-material/LayersOutlined';
import Link from '@mui/icons-material/LinkOutlined';
import Truck from '@mui/icons-material/LocalShippingOutlined';
import Lock from '@mui/icons-material/LockOutlined';
import Mail from '@mui/icons-material/MailOutlined';
import Book from '@mui/icons-material/MenuBookOutlined';
import Video from '@mui/icons-material/MovieOutlined';
import Music from '@mui/icons-material/MusicNoteOutlined';
import Bell from '@mui/icons-material/NotificationsOutlined';
import Money from '@mui/icons-material/PaymentsOutlined';
import Person from '@mui/icons-material/PersonOutlined';
import Phone from '@mui/icons-material/PhoneOutlined';
import Camera from '@mui/icons-material/PhotoCameraOutlined';
import Pin from '@mui/icons-material/PlaceOutlined';
import Globe from '@mui/icons-material/PublicOutlined';
import Receipt from '@mui/icons-material/ReceiptLongOutlined';
import Food from '@mui/icons-material/RestaurantOutlined';
import Clock from '@mui/icons-material/ScheduleOutlined';
import School from '@mui/icons-material/SchoolOutlined';
import Flask from '@mui/icons-material/ScienceOutlined';
import Tag from '@mui/icons-material/SellOutlined';
import Settings from '@mui/icons-material/SettingsOutlined';
import Shield from '@mui/icons-material/ShieldOutlined';
import Cart from '@mui/icons-material/ShoppingCartOutlined';
import Star from '@mui/icons-material/StarBorderOutlined';
import Note from '@mui/icons-material/StickyNote2Outlined';
import Store from '@mui/icons-material/StorefrontOutlined';
import Task from '@mui/icons-material/TaskAltOutlined';
import Briefcase from '@mui/icons-material/WorkOutlineOutlined';
import type { SvgIconProps } from '@mui/material/SvgIcon';
import type { ComponentType } from 'react';
import type { IconName } from '../../../src/model/icons.ts';

/** The picture of each name that a model file may say; loaded once some model says one. */
const icons: Readonly<Record<IconName, ComponentType<SvgIconProps>>> = {
  ...{ archive: Archive, article: Article, badge: Badge, bank: Bank, bell: Bell, book: Book, box: Box },
  ...{ briefcase: Briefcase, bug: Bug, building: Building, calendar: Calendar, camera: Camera, cart: Cart },
  ...{ chart: Chart, chat: Chat, check: Check, clock: Clock, cloud: Cloud, code: Code, document: Document },
  ...{ flag: Flag, flask: Flask, folder: Folder, food: Food, gift: Gift, globe: Globe, heart: Heart },
  ...{ home: Home, image: Image, key: Key, layers: Layers, link: Link, list: ListIcon, lock: Lock },
  ...{ mail: Mail, money: Money, music: Music, note: Note, people: People, person: Person, phone: Phone },
  ...{ pin: Pin, receipt: Receipt, school: School, settings: Settings, shield: Shield, star: Star },
  ...{ store: Store, tag: Tag, task: Task, ticket: Ticket, tool: Tool, truck: Truck, video: Video },
  wallet: Wallet,
};

interface ModelIconProps extends SvgIconProps {
  readonly name: string;
}

const isKnown = (name: string): name is IconName => Object.hasOwn(icons, name);

export const ModelIcon = ({ name, ...props }: ModelIconProps) => {
  const Icon = isKnown(name) ? icons[name] : ListIcon;
  return <Icon {...props} />;
};
